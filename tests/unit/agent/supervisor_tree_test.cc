// The whole tree ends, whatever it did to get away; neighbours never feel it; and a supervisor that
// is killed leaves enough behind for the truth.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <sstream>

#include "agent/process/job_tree.h"
#include "tests/support/agent/attempt_run.h"

namespace pinka::test {
namespace {

// Writes its name into the marks when it is up, so that the test knows the tree has grown.
std::string Up(const std::string& name) { return "touch $MARKS/" + name + "; "; }

struct Escape {
  const char* name;
  std::string script;  // touches $MARKS/up from the process that got away
};

class TreeEscape : public testing::TestWithParam<Escape> {};

TEST_P(TreeEscape, EndsWithACancel) {
  AttemptRun run({"sh", "-c", GetParam().script + "\nexec sleep 600"});
  run.order.grace_ms = 200;
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  ASSERT_FALSE(run.Left().empty());
  run.Stop("Cancel", 200);
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->reason, "CancelledByUser");
  EXPECT_FALSE(exit->survivors);
  EXPECT_TRUE(run.Left().empty());
}

TEST_P(TreeEscape, EndsWithItsMainProcess) {
  AttemptRun run(
      {"sh", "-c", GetParam().script + "\nwhile [ ! -e $MARKS/up ]; do sleep 0.02; done; exit 6"});
  run.order.grace_ms = 200;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.code, 6);
  EXPECT_FALSE(exit.survivors);
  EXPECT_TRUE(run.Left().empty());
}

TEST_P(TreeEscape, IsFoundWithoutItsSupervisor) {
  AttemptRun run({"sh", "-c", GetParam().script + "\nexec sleep 600"});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  ProcessId supervisor = run.Supervisor();
  ASSERT_TRUE(SendSignal(supervisor, SIGKILL));
  ASSERT_TRUE(WaitForEnd(supervisor.pid));
  JobTree tree(AttemptMarks(run.order.lab_run, "17_0.1"), Cgroup(), {});
  EXPECT_TRUE(KillWholeTree(tree, 10'000));
  EXPECT_TRUE(run.Left().empty());
}

const char kPython[] =
    "setsid python3 -c 'import os,signal,time\n"
    "signal.signal(15,signal.SIG_IGN)\n"
    "open(os.environ[\"MARKS\"]+\"/up\",\"w\")\ntime.sleep(600)' &";

INSTANTIATE_TEST_SUITE_P(
    Supervisor, TreeEscape,
    testing::Values(
        Escape{"Session", "setsid sh -c '" + Up("up") + "exec sleep 600' &"},
        Escape{"DoubleFork", "(setsid sh -c '(" + Up("up") + "exec sleep 600) &' &)"},
        Escape{"IgnoresTerm",
               "(sh -c 'trap \"\" TERM; " + Up("up") + "while :; do sleep 0.05; done' &)"},
        Escape{"Stopped", "(sh -c 'sleep 600 & kill -STOP $!; " + Up("up") + "wait' &)"},
        Escape{"PythonInItsOwnSession", kPython},
        Escape{"Renamed", "(bash -c 'exec -a innocent sleep 600' & " + Up("up") + ") &"},
        Escape{"KeepsForking", "(sh -c 'trap \"\" TERM; " + Up("up") +
                                   "while :; do sh -c \"sleep 0.01\" & sleep 0.01; done' &)"}),
    [](const auto& escape) { return std::string(escape.param.name); });

TEST(SupervisorTree, AnEnvironmentThatWasClearedHidesNobody) {
  AttemptRun run({"sh", "-c",
                  "(env -i setsid sh -c 'trap \"\" TERM; touch " +
                      std::string("\"$0\"/up; while :; do sleep 0.05; done' $MARKS &); "
                                  "exec sleep 600")});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  run.Stop("Cancel", 100);
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_FALSE(exit->survivors);
}

TEST(SupervisorTree, CancellingThreeOfEightLeavesFiveAlone) {
  std::vector<std::unique_ptr<AttemptRun>> runs;
  for (int i = 0; i < 8; ++i) {
    runs.push_back(std::make_unique<AttemptRun>(std::vector<std::string>{
        "sh", "-c",
        "touch $MARKS/up; n=0; while [ ! -e $MARKS/go ]; do n=$((n+1)); echo $n; "
        "sleep 0.01; done; exit " +
            std::to_string(10 + i)}));
    ASSERT_EQ(runs.back()->Start(), 0);
  }
  for (auto& run : runs) ASSERT_TRUE(WaitForFile(run->Marks() + "/up"));
  for (int i : {1, 3, 5}) runs[static_cast<size_t>(i)]->Stop("Cancel", 100);
  for (int i : {1, 3, 5}) {
    ASSERT_TRUE(runs[static_cast<size_t>(i)]->WaitExit().has_value());
    runs[static_cast<size_t>(i)]->Stop("Cancel", 100);  // just after it has ended
  }
  for (int i : {0, 2, 4, 6, 7}) {
    AttemptRun& run = *runs[static_cast<size_t>(i)];
    Spill(run.Marks() + "/go", "");
    std::optional<Exit> exit = run.WaitExit();
    ASSERT_TRUE(exit.has_value());
    EXPECT_EQ(exit->reason, "Exited");
    EXPECT_EQ(exit->code, 10 + i);
    std::istringstream lines(run.Log());
    int expected = 0;
    for (int n = 0; lines >> n;) EXPECT_EQ(n, ++expected);
    EXPECT_GT(expected, 0);
  }
}

TEST(SupervisorTree, TheMainProcessesEndIsKeptThoughTheSupervisorIsKilledAfterIt) {
  AttemptRun run({"sh", "-c", "exit 7"});
  run.crash_at = "supervisor.main_recorded";
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForEnd(run.Supervisor().pid));
  EXPECT_FALSE(run.dir().ReadExit().has_value());
  ASSERT_TRUE(run.dir().ReadMain().has_value());
  EXPECT_EQ(run.dir().ReadMain()->code, 7);
}

}  // namespace
}  // namespace pinka::test
