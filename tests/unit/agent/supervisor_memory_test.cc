// What a job may take of the box: its memory and its cores, who was killed for memory, how much it
// took at most. On a box with control groups the kernel holds the limits; elsewhere (as in the
// unprivileged run of this program) the supervisor's own watch does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "agent/process/limits.h"
#include "tests/support/agent/attempt_run.h"

namespace pinka::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;
// Takes 300 MiB, touches every page, and keeps them for longer than anybody needs to notice.
constexpr char kGreedy[] = "x = b'x' * (300 << 20)\nimport time\ntime.sleep(60)";

TEST(SupervisorMemory, AChildKilledForMemoryCountsAlsoWhenTheShellEndsWell) {
  AttemptRun run({"sh", "-c", "python3 -c \"$GREEDY\"; echo after; exit 0"});
  run.order.env.push_back(std::string("GREEDY=") + kGreedy);
  run.order.memory_bytes = 100 * kMiB;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "OutOfMemory");
  EXPECT_EQ(exit.code, 0);
  EXPECT_EQ(exit.message, "python3 was killed for memory: the job may take 100M");
  EXPECT_THAT(run.Log(), HasSubstr("after\n"));
}

TEST(SupervisorMemory, AMainProcessKilledForMemoryIsNotJustASignal) {
  AttemptRun run({"python3", "-c", kGreedy});
  run.order.memory_bytes = 100 * kMiB;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "OutOfMemory");
  EXPECT_EQ(exit.code, std::nullopt);
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_THAT(exit.message, HasSubstr("python3 was killed for memory"));
}

TEST(SupervisorMemory, AJobThatRunsOutOfSomethingElseEndsByItself) {
  AttemptRun run({"python3", "-c", "raise RuntimeError('CUDA out of memory')"});
  run.order.memory_bytes = 500 * kMiB;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.code, 1);
  EXPECT_EQ(exit.message, "");
}

TEST(SupervisorMemory, WhatItTookAtMostIsKept) {
  AttemptRun run({"sh", "-c", "python3 -c \"x = b'x' * (80 << 20)\""});
  Exit exit = run.Finish();
  EXPECT_EQ(exit.code, 0);
  EXPECT_GE(exit.peak_memory, 80 * kMiB);
  EXPECT_LT(exit.peak_memory, 160 * kMiB);
}

TEST(SupervisorMemory, PagesThatChildrenShareDoNotEndTheJob) {
  // Four processes look at the same 60 MiB: 240 MiB to a careless eye.
  AttemptRun run({"python3", "-c",
                  "import os, time\nx = b'x' * (60 << 20)\n"
                  "for n in range(3):\n  if os.fork() == 0:\n    break\n"
                  "time.sleep(2.5)"});
  run.order.memory_bytes = 150 * kMiB;
  run.order.grace_ms = 10'000;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.message, "");
}

TEST(SupervisorMemory, CoresAreLimitedWhereTheMachineHasGroupsForThem) {
  AttemptRun run({"sh", "-c", "touch $MARKS/up; while [ ! -e $MARKS/go ]; do sleep 0.02; done"});
  run.order.cpus = 3;
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  bool found = false;
  const auto claim = run.dir().ReadClaim();
  ASSERT_TRUE(claim.has_value());
  for (const std::string& group : claim->cgroups) {
    std::string v1 = Slurp(group + "/cpu.cfs_quota_us");
    std::string v2 = Slurp(group + "/cpu.max");
    if (v1.empty() && v2.empty()) continue;
    found = true;
    EXPECT_THAT(v1 + v2, AnyOf("300000\n", "300000 100000\n"));
  }
  Spill(run.Marks() + "/go", "");
  EXPECT_TRUE(run.WaitExit().has_value());
  if (!found) GTEST_SKIP() << "no control group for cores on this machine";
}

TEST(SupervisorMemory, NoGroupIsLeftBehind) {
  AttemptRun run({"true"});
  run.order.cpus = 1;
  run.order.memory_bytes = 100 * kMiB;
  EXPECT_EQ(run.Finish().code, 0);
  const auto claim = run.dir().ReadClaim();
  ASSERT_TRUE(claim.has_value());
  for (const std::string& group : claim->cgroups) {
    EXPECT_EQ(Slurp(group + "/cgroup.procs"), "");
    EXPECT_FALSE(PathExists(group)) << group;
  }
}

}  // namespace
}  // namespace pinka::test
