// How an attempt ends and what is said of it: codes, signals, limits, stops, fences, the meter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "base/clock.h"
#include "tests/support/agent/attempt_run.h"

namespace pinka::test {
namespace {

using testing::HasSubstr;

class ExitCode : public testing::TestWithParam<int> {};
TEST_P(ExitCode, IsKept) {
  AttemptRun run({"sh", "-c", "exit " + std::to_string(GetParam())});
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.code, GetParam());
  EXPECT_EQ(exit.signal, std::nullopt);
  EXPECT_FALSE(exit.survivors);
}
INSTANTIATE_TEST_SUITE_P(Supervisor, ExitCode,
                         testing::Values(0, 1, 85, 125, 126, 127, 128, 137, 143, 255));

class Signal : public testing::TestWithParam<int> {};
TEST_P(Signal, IsToldFromACodeThatLooksLikeIt) {
  AttemptRun run({"sh", "-c", "kill -" + std::to_string(GetParam()) + " $$"});
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.code, std::nullopt);
  EXPECT_EQ(exit.signal, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Supervisor, Signal,
                         testing::Values(SIGKILL, SIGSEGV, SIGTERM, SIGABRT, SIGUSR2, SIGHUP));

TEST(SupervisorEnd, ATimeLimitIsNoticeTermGraceKill) {
  AttemptRun run({"sh", "-c",
                  "trap 'cp ../notice.json $MARKS; echo term' TERM; while :; do sleep 0.02; done"});
  run.order.time_limit_ms = 400;
  run.order.grace_ms = 300;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "TimeLimit");
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_THAT(run.Log(), HasSubstr("term\n"));
  EXPECT_THAT(Slurp(run.Marks() + "/notice.json"), HasSubstr("\"reason\":\"TimeLimit\""));
  EXPECT_THAT(Slurp(run.Marks() + "/notice.json"), HasSubstr("\"attempt\":\"17_0.1\""));
  EXPECT_GE(exit.metered_ms, 700);
  EXPECT_EQ(exit.overrun_ms, exit.metered_ms - 400);
}

TEST(SupervisorEnd, AStopLetsTheJobSayItsOwnLastWord) {
  AttemptRun run({"sh", "-c", "trap 'exit 9' TERM; touch $MARKS/up; while :; do sleep 0.02; done"});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  run.Stop("Preempt", 20'000);
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->reason, "Preempted");
  EXPECT_EQ(exit->code, 9);
  EXPECT_EQ(exit->overrun_ms, 0);
}

TEST(SupervisorEnd, AStopIsNoticedAtOnceAndASecondMayShortenTheGrace) {
  AttemptRun run({"sh", "-c", "trap '' TERM; touch $MARKS/up; while :; do sleep 0.02; done"});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  run.Stop("Cancel", 600'000);
  ASSERT_TRUE(WaitForFile(run.dir().path() + "/stopping", 2));
  run.Stop("Cancel", 0);
  std::optional<Exit> exit = run.WaitExit(10);
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->reason, "CancelledByUser");
  EXPECT_EQ(exit->signal, SIGKILL);
}

TEST(SupervisorEnd, TheFenceEndsAJobThatNoSchedulerHearsOf) {
  AttemptRun run({"sleep", "600"});
  run.order.heartbeat = run.temp().path() + "/heartbeat";
  run.order.fence_ms = 400;
  Spill(run.order.heartbeat, std::to_string(SystemClock().Boottime().millis()));
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "NodeLost");
  EXPECT_FALSE(exit.never_started);
  EXPECT_GE(exit.metered_ms, 200);
}

TEST(SupervisorEnd, ASupervisorThatIsToldToEndEndsItsJobProperly) {
  AttemptRun run({"sleep", "600"});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(run.WaitStarted());
  ASSERT_TRUE(SendSignal(run.Supervisor(), SIGTERM));
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->reason, "NodeDrain");
  EXPECT_EQ(exit->signal, SIGTERM);
}

TEST(SupervisorEnd, TheMeterRunsFromExecToTheEndOfTheTree) {
  AttemptRun run({"sh", "-c",
                  "sh -c 'trap \"sleep 0.3; exit\" TERM; touch $MARKS/up; "
                  "while :; do sleep 0.02; done' & "
                  "while [ ! -e $MARKS/up ]; do sleep 0.02; done"});
  run.order.grace_ms = 5'000;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.code, 0);
  EXPECT_GE(exit.metered_ms, 300);
  EXPECT_TRUE(run.dir().ReadMeter().has_value());
  EXPECT_EQ(run.dir().ReadMain()->code, 0);
}

TEST(SupervisorEnd, KillZeroOfAJobDoesNotReachItsSupervisor) {
  AttemptRun run({"sh", "-c", "kill -9 0"});
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.signal, SIGKILL);
}

}  // namespace
}  // namespace pinka::test
