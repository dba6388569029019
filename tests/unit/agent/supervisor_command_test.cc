// What a job gets: its words, its environment, its place; and what is said when it cannot start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "base/clock.h"
#include "tests/support/agent/attempt_run.h"

namespace pinka::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(SupervisorCommand, ArgumentsArriveByteForByte) {
  std::vector<std::string> words = {"a  b", "it's",        "&& touch /tmp/pinka-pwn",
                                    "",     "*",           "$HOME",
                                    "`id`", "back\\slash", "中文 名"};
  std::vector<std::string> argv = {"printf", "[%s]\\n"};
  argv.insert(argv.end(), words.begin(), words.end());
  AttemptRun run(argv);
  EXPECT_EQ(run.Finish().code, 0);
  std::string expected;
  for (const auto& word : words) expected += "[" + word + "]\n";
  EXPECT_EQ(run.Log(), expected);
}

TEST(SupervisorCommand, TheEnvironmentIsExactlyTheOrders) {
  AttemptRun run({"env", "-0"});
  run.order.env.push_back("NOTE=line1\nPATH=/evil\nline3");
  run.order.env.push_back("BASH_FUNC_hi%%=() { echo \"a;b\"\n}");
  run.order.env.push_back("Q=\"quoted\"");
  run.order.env.push_back("E=x=y=z");
  run.order.env.push_back("EMPTY=");
  EXPECT_EQ(run.Finish().code, 0);
  std::string expected;
  for (const auto& entry : run.order.env) expected += entry + '\0';
  EXPECT_EQ(run.Log(), expected);
}

TEST(SupervisorCommand, RunsInItsScratchDirectoryOrWhereAsked) {
  AttemptRun run({"pwd"});
  run.Finish();
  EXPECT_EQ(run.Log(), run.order.Scratch() + "\n");
  AttemptRun elsewhere({"pwd"});
  elsewhere.order.chdir = "/usr";
  elsewhere.Finish();
  EXPECT_EQ(elsewhere.Log(), "/usr\n");
}

TEST(SupervisorCommand, AScriptGetsItsNameAndItsArguments) {
  AttemptRun shell({"train.sh", "a b", ""});
  shell.order.script = "echo \"${0##*/} $# [$1] [$2]\"\n";  // no #! line: /bin/sh
  EXPECT_EQ(shell.Finish().code, 0);
  EXPECT_EQ(shell.Log(), "train.sh 2 [a b] []\n");
  AttemptRun python({"x.py", "1"});
  python.order.script = "#!/usr/bin/env python3\nimport sys\nprint(sys.argv[1:])\n";
  EXPECT_EQ(python.Finish().code, 0);
  EXPECT_EQ(python.Log(), "['1']\n");
}

TEST(SupervisorCommand, AFiveMebibyteScriptRuns) {
  AttemptRun run({"big.sh"});
  run.order.script = "#!/bin/sh\n: '" + std::string(5 << 20, 'x') + "'\necho done\n";
  EXPECT_EQ(run.Finish().code, 0);
  EXPECT_EQ(run.Log(), "done\n");
}

TEST(SupervisorCommand, StartsWithoutInputAndWithPlainSignals) {
  AttemptRun run({"sh", "-c", "cat; grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd"});
  EXPECT_EQ(run.Finish().code, 0);
  EXPECT_EQ(run.Log(),
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n");  // 3: ls's own
}

TEST(SupervisorCommand, MayOpenItsOutputAnew) {
  AttemptRun run({"sh", "-c", "echo one > /dev/stdout; echo two > /dev/stderr"});
  if (geteuid() == 0) run.order.account = "nobody";
  EXPECT_EQ(run.Finish().code, 0);
  EXPECT_EQ(run.Log(), "one\ntwo\n");
}

TEST(SupervisorCommand, AsRootTheJobBecomesAnAccountWithoutRights) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  AttemptRun run(
      {"sh", "-c", "id -un; grep NoNewPrivs /proc/self/status; echo x > file; stat -c %U ."});
  run.order.account = "nobody";
  EXPECT_EQ(run.Finish().code, 0);
  EXPECT_EQ(run.Log(), "nobody\nNoNewPrivs:\t1\nnobody\n");
}

struct Fault {
  const char* name;
  std::vector<std::string> argv;
  std::string chdir;
  std::string message;
};

class LaunchFault : public testing::TestWithParam<Fault> {};

TEST_P(LaunchFault, IsToldFromTheJobsOwnExit) {
  AttemptRun run(GetParam().argv);
  run.order.chdir = GetParam().chdir;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "LaunchFailed");
  EXPECT_FALSE(exit.never_started);
  EXPECT_EQ(exit.code, std::nullopt);
  EXPECT_EQ(exit.signal, std::nullopt);
  EXPECT_EQ(exit.metered_ms, 0);
  EXPECT_THAT(exit.message, StartsWith("could not start: "));
  EXPECT_THAT(exit.message, HasSubstr(GetParam().message));
  EXPECT_TRUE(run.Left().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Supervisor, LaunchFault,
    testing::Values(Fault{"NoProgram", {"no-such-program"}, "", "no such program: no-such-program"},
                    Fault{"NoFile", {"/no/such/file"}, "", "no such program: /no/such/file"},
                    Fault{"NotExecutable", {"/etc/passwd"}, "", "/etc/passwd cannot be run"},
                    Fault{"Directory", {"/usr"}, "", "/usr is a directory"},
                    Fault{"NoDirectory", {"true"}, "/no/such/place", "no such directory"},
                    Fault{"Nothing", {}, "", "the command is empty"},
                    Fault{"LongWord", {"true", std::string(131'072, 'x')}, "", "command too long"}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(SupervisorCommand, TheLongestWordRuns) {
  AttemptRun run({"true", std::string(131'071, 'x')});
  EXPECT_EQ(run.Finish().code, 0);
}

TEST(SupervisorCommand, TooMuchEnvironmentIsACommandTooLong) {
  AttemptRun run({"true"});
  for (int i = 0; i < 3'000; ++i) {
    run.order.env.push_back("V" + std::to_string(i) + "=" + std::string(1'024, 'x'));
  }
  EXPECT_EQ(run.Finish().message, "could not start: command too long");
}

TEST(SupervisorCommand, TheUsersOwn126And127AreExits) {
  for (int code : {126, 127}) {
    AttemptRun run({"sh", "-c", "exit " + std::to_string(code)});
    Exit exit = run.Finish();
    EXPECT_EQ(exit.reason, "Exited");
    EXPECT_EQ(exit.code, code);
  }
}

TEST(SupervisorCommand, NeverStartsTooLateOrAfterAStop) {
  AttemptRun late({"touch", "x"});
  late.order.start_by_ms = SystemClock().Boottime().millis() - 1;
  Exit exit = late.Finish();
  EXPECT_TRUE(exit.never_started);
  EXPECT_EQ(exit.reason, "StartWithin");
  AttemptRun stopped({"touch", "x"});
  ASSERT_TRUE(stopped.dir().Create().ok());
  stopped.Stop("Cancel", 100);
  exit = stopped.Finish();
  EXPECT_TRUE(exit.never_started);
  EXPECT_EQ(exit.reason, "Cancel");
}

TEST(SupervisorCommand, NeverStartsBehindItsFence) {
  AttemptRun run({"touch", "x"});
  run.order.heartbeat = run.temp().path() + "/heartbeat";
  run.order.fence_ms = 1'000;
  Spill(run.order.heartbeat, std::to_string(SystemClock().Boottime().millis() - 1'001));
  EXPECT_TRUE(run.Finish().never_started);
}

TEST(SupervisorCommand, ASecondSupervisorLeavesTheAttemptAlone) {
  AttemptRun run({"sh", "-c", "echo run >> $MARKS/lines; exit 4"});
  EXPECT_EQ(run.Finish().code, 4);
  EXPECT_EQ(run.Start(), 0);
  EXPECT_TRUE(WaitForEnd(run.Supervisor().pid));
  EXPECT_EQ(Slurp(run.Marks() + "/lines"), "run\n");
}

}  // namespace
}  // namespace pinka::test
