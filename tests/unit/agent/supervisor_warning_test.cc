// The warning before the end: to whom it goes, to whom it does not, and what the notice file says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/agent/attempt_run.h"

namespace pinka::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SupervisorWarning, AHandlerIsToldBeforeTheLimit) {
  AttemptRun run({"sh", "-c",
                  "trap 'cat ../notice.json; echo saved; exit 3' USR2; while :; do sleep 0.02; "
                  "done"});
  run.order.time_limit_ms = 2'000;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.code, 3);
  EXPECT_THAT(run.Log(), HasSubstr("\"reason\":\"TimeLimit\""));
  EXPECT_THAT(run.Log(), HasSubstr("saved\n"));
  EXPECT_LT(exit.metered_ms, 2'000);
}

TEST(SupervisorWarning, AJobWithoutAHandlerIsNeverKilledByIt) {
  AttemptRun run({"sh", "-c", "while [ ! -e ../notice.json ]; do sleep 0.02; done; exit 4"});
  run.order.time_limit_ms = 2'000;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.code, 4);
}

// The main process and a child of it, each with a handler that says so.
constexpr char kBoth[] =
    "trap 'echo main' USR1; "
    "sh -c 'trap \"echo child\" USR1; touch $MARKS/child; while :; do sleep 0.02; done' & "
    "while :; do sleep 0.02; done";

TEST(SupervisorWarning, GoesToAllOrToTheMainProcessAlone) {
  AttemptRun all({"sh", "-c", kBoth});
  all.order.time_limit_ms = 2'000;
  all.order.signal = "all:USR1@1s";
  EXPECT_EQ(all.Finish().reason, "TimeLimit");
  EXPECT_THAT(all.Log(), HasSubstr("main\n"));
  EXPECT_THAT(all.Log(), HasSubstr("child\n"));
  AttemptRun main({"sh", "-c", kBoth});
  main.order.time_limit_ms = 2'000;
  main.order.signal = "main:USR1@1s";
  EXPECT_EQ(main.Finish().reason, "TimeLimit");
  EXPECT_THAT(main.Log(), HasSubstr("main\n"));
  EXPECT_THAT(main.Log(), Not(HasSubstr("child\n")));
}

TEST(SupervisorWarning, OneForEachReasonAndDeadline) {
  AttemptRun run({"sh", "-c",
                  "trap 'echo warned; cat ../notice.json' USR2; trap '' TERM; "
                  "while :; do sleep 0.02; done"});
  run.order.time_limit_ms = 1'000;
  run.order.grace_ms = 500;
  EXPECT_EQ(run.Finish().reason, "TimeLimit");
  std::string log = run.Log();
  EXPECT_EQ(log.find("warned"), log.rfind("warned")) << log;
}

TEST(SupervisorWarning, AReclaimLeavesTimeBeforeTerm) {
  AttemptRun run({"sh", "-c",
                  "trap 'cat ../notice.json; echo saved' USR2; trap 'echo term; exit 0' TERM; "
                  "touch $MARKS/up; while :; do sleep 0.02; done"});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  run.Stop("SpotReclaim", 5'000, 700);
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->reason, "SpotReclaim");
  EXPECT_EQ(exit->code, 0);
  std::string log = run.Log();
  EXPECT_THAT(log, HasSubstr("\"reason\":\"SpotReclaim\""));
  EXPECT_LT(log.find("saved"), log.find("term"));
  EXPECT_GE(exit->metered_ms, 700);
}

TEST(SupervisorWarning, AJobThatEndsInTheLeadIsNotWaitedFor) {
  AttemptRun run({"sh", "-c", "trap 'exit 5' USR2; touch $MARKS/up; while :; do sleep 0.02; done"});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  run.Stop("SpotReclaim", 5'000, 600'000);
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->reason, "SpotReclaim");
  EXPECT_EQ(exit->code, 5);
}

TEST(SupervisorWarning, ACheckpointIsAskedForAndNothingElseHappens) {
  AttemptRun run({"sh", "-c",
                  "n=0; trap 'n=$((n+1)); cat ../notice.json' USR2; "
                  "while [ $n -lt 2 ]; do sleep 0.02; done; exit 7"});
  run.order.checkpoint_every_ms = 300;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "Exited");
  EXPECT_EQ(exit.code, 7);
  EXPECT_THAT(run.Log(), HasSubstr("\"reason\":\"Checkpoint\""));
}

TEST(SupervisorWarning, ALimitThatMoneySetSaysBudget) {
  AttemptRun run({"sh", "-c", "trap 'cat ../notice.json' USR2; while :; do sleep 0.02; done"});
  run.order.time_limit_ms = 1'000;
  run.order.limit_reason = "Budget";
  EXPECT_EQ(run.Finish().reason, "Budget");
  EXPECT_THAT(run.Log(), HasSubstr("\"reason\":\"Budget\""));
}

}  // namespace
}  // namespace pinka::test
