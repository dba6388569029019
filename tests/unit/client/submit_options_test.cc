#include "client/cli/core/submit_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/core/parser.h"

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Status Read(const std::vector<std::string>& words, SubmitFields* fields) {
  SubmitLine line;
  Options options;
  line.Declare(options);
  const Status status = ParseWords(options, words);
  line.ApplyOver(fields);
  return status;
}

TEST(SubmitLine, ReadsEveryOption) {
  SubmitFields f;
  const Status status =
      Read({"--tier",     "t4",      "--gpus",     "2",      "--cpus",       "4",
            "--mem",      "16G",     "--time",     "1h",     "--grace",      "10s",
            "--array",    "0-9%3",   "--env",      "A=1",    "--name",       "n",
            "--comment",  "c",       "--output",   "o",      "--request-id", "k",
            "--chdir",    "/d",      "--retries",  "2",      "--no-requeue", "--requeue-exit",
            "75,99",      "--class", "debug",      "--nice", "-3",           "--project",
            "p",          "--wait",  "-q",         "-y",     "--source",     "package",
            "--max-cost", "12.5",    "--max-rate", "¥9"},
           &f);
  ASSERT_TRUE(status.ok()) << Message(status);
  EXPECT_THAT(f.tiers, ElementsAre("t4"));
  EXPECT_EQ(f.gpus, 2);
  EXPECT_EQ(f.cpus, 4);
  EXPECT_EQ(f.memory_bytes, int64_t{16} << 30);
  EXPECT_EQ(f.time_ms, 3'600'000);
  EXPECT_EQ(f.grace_ms, 10'000);
  EXPECT_EQ(f.array, "0-9%3");
  EXPECT_EQ(f.request_id, "k");
  EXPECT_EQ(f.chdir, "/d");
  EXPECT_EQ(f.retries, 2);
  EXPECT_TRUE(f.no_requeue);
  EXPECT_THAT(f.requeue_exit, ElementsAre(75, 99));
  EXPECT_EQ(f.job_class, v1::JobSpec::debug);
  EXPECT_EQ(f.nice, -3);
  EXPECT_EQ(f.source, "package");
  EXPECT_EQ(f.project, "p");
  EXPECT_EQ(f.max_cost, "12.500000");
  EXPECT_EQ(f.max_rate, "9.000000");
  EXPECT_TRUE(f.wait && f.quiet && f.yes);
}

TEST(SubmitLine, ReadsTheWarningAndKeepsItInOneForm) {
  SubmitFields f;
  ASSERT_TRUE(Read({"--signal", "all:SIGUSR1@90s"}, &f).ok());
  EXPECT_EQ(f.signal, "USR1@1m30s");
  ASSERT_TRUE(Read({"--signal", "main:TERM"}, &f).ok());
  EXPECT_EQ(f.signal, "main:TERM@2m");
  ASSERT_TRUE(Read({"--checkpoint-every", "30m"}, &f).ok());
  EXPECT_EQ(f.checkpoint_every_ms, 1'800'000);
  EXPECT_THAT(Message(Read({"--signal", "KILL@60s"}, &f)), HasSubstr("no process can catch"));
  EXPECT_FALSE(Read({"--signal", "USR1@60"}, &f).ok());
}

TEST(SubmitLine, TakesVariablesAlongByNameOnly) {
  setenv("PINKA_TEST_TAKEN", "a=b c", 1);
  unsetenv("PINKA_TEST_UNSET");
  SubmitFields f;
  ASSERT_TRUE(Read({"--env", "X=1", "--export", "PINKA_TEST_TAKEN"}, &f).ok());
  EXPECT_THAT(f.env, ElementsAre(EnvVar{"X", "1"}, EnvVar{"PINKA_TEST_TAKEN", "a=b c"}));
  ASSERT_TRUE(Read({"--export", "NONE"}, &f).ok());
  EXPECT_THAT(Message(Read({"--export", "PINKA_TEST_UNSET"}, &f)), HasSubstr("is not set here"));
  EXPECT_THAT(Message(Read({"--export", "ALL"}, &f)), HasSubstr("is clean"));
  EXPECT_THAT(Message(Read({"--export", "a-b"}, &f)), HasSubstr("no variable's name"));
}

TEST(SubmitLine, ReadsWhenAJobMayStart) {
  SubmitFields f;
  const Status status = Read({"--dependency", "afterok:17,after:18+30m", "--keep-on-invalid-dep",
                              "--begin", "now+2h", "--night", "--deadline", "2026-12-01"},
                             &f);
  ASSERT_TRUE(status.ok()) << Message(status);
  EXPECT_EQ(f.dependency, "afterok:17,after:18+30m");
  EXPECT_TRUE(f.keep_on_invalid_dep && f.night);
  EXPECT_EQ(f.begin, "now+2h");
  EXPECT_EQ(f.deadline, "2026-12-01");
}

TEST(SubmitLine, LaidOverAScriptWinsAlsoWithZero) {
  SubmitFields script;
  ASSERT_TRUE(
      Read({"--retries", "3", "--tier", "a", "--env", "A=1", "--env", "B=2"}, &script).ok());
  ASSERT_TRUE(Read({"--retries", "0", "--env", "A=9"}, &script).ok());
  EXPECT_EQ(script.retries, 0);
  EXPECT_THAT(script.tiers, ElementsAre("a"));
  EXPECT_THAT(script.env, ElementsAre(EnvVar{"A", "9"}, EnvVar{"B", "2"}));
}

TEST(SubmitLine, RefusesBadValuesWithTheOptionsName) {
  SubmitFields f;
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--time", "90"},
                                                        {"--time", "1:30"},
                                                        {"--array", "5-1"},
                                                        {"--gpus", "-1"},
                                                        {"--class", "urgent"},
                                                        {"--source", "free"},
                                                        {"--requeue-exit", "0"},
                                                        {"--env", "NOEQUALS"},
                                                        {"--env-file", "/nowhere.env"},
                                                        {"--name", "a\nb"},
                                                        {"--name", "bad\xff"},
                                                        {"--name", "x\u202ey"},
                                                        {"--chdir", "\xff"}}) {
    EXPECT_THAT(Message(Read({option, value}, &f)), HasSubstr(option + ": ")) << value;
  }
}

TEST(SubmitLine, CountsTheCharactersOfAName) {
  SubmitFields f;
  std::string name;
  for (int i = 0; i < 100; ++i) name += "字";
  EXPECT_TRUE(Read({"--name", name}, &f).ok());
  EXPECT_EQ(f.name, name);
  EXPECT_THAT(Message(Read({"--name", name + "字"}, &f)), HasSubstr("101 characters"));
}

}  // namespace
}  // namespace pinka::cli
