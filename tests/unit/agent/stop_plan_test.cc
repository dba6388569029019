#include "agent/core/stop_plan.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

using Act = StopPlan::Act;

Duration At(int64_t seconds) { return Duration::Seconds(1'000 + seconds); }

// What is due now, as a supervisor asks: a warning and what follows it together.
std::string Due(StopPlan& plan, Duration now) {
  std::string due;
  for (int n = 0; n < 3; ++n) {
    switch (plan.Next(now)) {
      case Act::kNone:
        return due;
      case Act::kWarn:
        due += "warn ";
        break;
      case Act::kTerm:
        due += "term ";
        break;
      case Act::kKill:
        return due + "kill ";
    }
  }
  return due;
}

StopPlan Plan(int64_t limit_s, int64_t grace_s, int64_t fence_s = 0) {
  return StopPlan({.time_limit = Duration::Seconds(limit_s),
                   .grace = Duration::Seconds(grace_s),
                   .fence = Duration::Seconds(fence_s)},
                  At(0), At(0));
}

TEST(StopPlan, LetsAJobRunUntilItsLimitThenTermGraceKill) {
  StopPlan plan = Plan(60, 10);
  EXPECT_EQ(plan.WakeAt(), At(60));
  EXPECT_EQ(Due(plan, At(59)), "");
  EXPECT_EQ(Due(plan, At(60)), "warn term ");
  EXPECT_EQ(plan.reason(), "TimeLimit");
  EXPECT_EQ(plan.WakeAt(), At(70));
  EXPECT_EQ(plan.Next(At(69)), Act::kNone);
  EXPECT_EQ(plan.Next(At(70)), Act::kKill);
  EXPECT_EQ(plan.Next(At(71)), Act::kKill);
}

TEST(StopPlan, WithoutLimitOrFenceNeverWakes) {
  EXPECT_EQ(Plan(0, 10).WakeAt(), Duration::Micros(INT64_MAX));
  EXPECT_EQ(Plan(0, 10).Next(At(1'000'000)), Act::kNone);
}

TEST(StopPlan, TheFirstCauseKeepsTheNameAndTheShorterGraceWins) {
  StopPlan plan = Plan(60, 30);
  plan.Ask("Cancel", Duration::Seconds(30), At(5));
  EXPECT_EQ(Due(plan, At(5)), "warn term ");
  plan.Ask("Preempt", Duration::Seconds(2), At(6));
  EXPECT_EQ(plan.reason(), "Cancel");
  EXPECT_EQ(Due(plan, At(7)), "warn ");  // another deadline
  EXPECT_EQ(plan.warning().reason, "Cancel");
  EXPECT_EQ(plan.warning().deadline, At(8));
  EXPECT_EQ(Due(plan, At(8)), "kill ");
}

TEST(StopPlan, ALaterStopNeverLengthensTheGrace) {
  StopPlan plan = Plan(0, 30);
  plan.Ask("Cancel", Duration::Seconds(2), At(5));
  plan.Ask("Cancel", Duration::Seconds(100), At(5));
  EXPECT_EQ(Due(plan, At(5)), "warn term ");
  EXPECT_EQ(plan.Next(At(7)), Act::kKill);
}

TEST(StopPlan, ANegativeGraceIsNone) {
  StopPlan plan = Plan(0, 30);
  plan.Ask("Cancel", Duration::Seconds(-5), At(5));
  EXPECT_EQ(Due(plan, At(5)), "warn term kill ");
}

TEST(StopPlan, TheFenceMovesWithTheHeartbeat) {
  StopPlan plan = Plan(0, 10, 20);
  EXPECT_EQ(plan.WakeAt(), At(20));
  plan.Heartbeat(At(15));
  plan.Heartbeat(At(12));  // late news
  EXPECT_EQ(Due(plan, At(34)), "");
  EXPECT_EQ(Due(plan, At(35)), "warn term ");
  EXPECT_EQ(plan.reason(), "NodeLost");
  EXPECT_EQ(plan.Next(At(45)), Act::kKill);
}

TEST(StopPlan, WhatAMainProcessLeftBehindGetsAShortGraceAndNoReason) {
  StopPlan plan = Plan(60, 30);
  plan.MainEnded(At(1));
  EXPECT_EQ(plan.Next(At(1)), Act::kTerm);
  EXPECT_EQ(plan.reason(), "");
  EXPECT_EQ(plan.Next(At(5)), Act::kNone);
  EXPECT_EQ(plan.Next(At(6)), Act::kKill);
}

TEST(StopPlan, AMainProcessThatEndsDuringAStopLeavesTheRestItsGrace) {
  StopPlan plan = Plan(60, 30);
  plan.Ask("Cancel", Duration::Seconds(30), At(1));
  EXPECT_EQ(Due(plan, At(1)), "warn term ");
  plan.MainEnded(At(2));
  EXPECT_EQ(plan.reason(), "Cancel");
  EXPECT_EQ(plan.WakeAt(), At(31));
}

StopPlan Warned(int64_t limit_s, int64_t before_s) {
  return StopPlan({.time_limit = Duration::Seconds(limit_s),
                   .grace = Duration::Seconds(30),
                   .warn_before = Duration::Seconds(before_s)},
                  At(0), At(0));
}

TEST(StopPlan, ATimeLimitIsWarnedOfBeforeItAndOnce) {
  StopPlan plan = Warned(600, 120);
  EXPECT_EQ(plan.WakeAt(), At(480));
  EXPECT_EQ(Due(plan, At(479)), "");
  EXPECT_EQ(Due(plan, At(480)), "warn ");
  EXPECT_EQ(plan.warning().reason, "TimeLimit");
  EXPECT_EQ(plan.warning().deadline, At(630));
  EXPECT_FALSE(plan.ending());
  EXPECT_EQ(plan.WakeAt(), At(600));
  EXPECT_EQ(Due(plan, At(481)), "");
  EXPECT_EQ(Due(plan, At(600)), "term ");  // it has been told of this deadline
  EXPECT_EQ(Due(plan, At(630)), "kill ");
}

TEST(StopPlan, AShortJobIsNotWarnedInItsFirstHalf) {
  StopPlan plan = Warned(60, 120);
  EXPECT_EQ(Due(plan, At(29)), "");
  EXPECT_EQ(Due(plan, At(30)), "warn ");
}

TEST(StopPlan, AMachineThatSleptOverTheLimitTellsOfTheNewDeadline) {
  StopPlan plan = Warned(600, 120);
  EXPECT_EQ(Due(plan, At(500)), "warn ");
  EXPECT_EQ(Due(plan, At(4'000)), "warn term ");
  EXPECT_EQ(plan.WakeAt(), At(4'030));
}

TEST(StopPlan, AStopWithALeadWarnsNowAndTerminatesLater) {
  StopPlan plan = Warned(0, 120);
  plan.Ask("SpotReclaim", Duration::Seconds(10), At(5), Duration::Seconds(100));
  EXPECT_EQ(Due(plan, At(5)), "warn ");
  EXPECT_EQ(plan.warning().reason, "SpotReclaim");
  EXPECT_EQ(plan.warning().deadline, At(115));
  EXPECT_EQ(plan.WakeAt(), At(105));
  EXPECT_EQ(Due(plan, At(104)), "");
  EXPECT_EQ(Due(plan, At(105)), "term ");
  EXPECT_EQ(Due(plan, At(115)), "kill ");
}

TEST(StopPlan, AMainProcessThatEndsInTheLeadLeavesNothingToWaitFor) {
  StopPlan plan = Warned(0, 120);
  plan.Ask("SpotReclaim", Duration::Seconds(10), At(5), Duration::Seconds(100));
  EXPECT_EQ(Due(plan, At(5)), "warn ");
  plan.MainEnded(At(20));
  EXPECT_EQ(plan.reason(), "SpotReclaim");
  EXPECT_EQ(Due(plan, At(20)), "term ");
  EXPECT_EQ(plan.WakeAt(), At(30));
}

TEST(StopPlan, ACancelInTheLeadOfALimitIsAWarningOfItsOwn) {
  StopPlan plan = Warned(600, 120);
  EXPECT_EQ(Due(plan, At(500)), "warn ");
  plan.Ask("Cancel", Duration::Seconds(30), At(510));
  EXPECT_EQ(Due(plan, At(510)), "warn term ");
  EXPECT_EQ(plan.warning().reason, "Cancel");
}

TEST(StopPlan, CheckpointsAreAskedForUntilTheLimitIsNear) {
  StopPlan plan({.time_limit = Duration::Seconds(100),
                 .grace = Duration::Seconds(10),
                 .warn_before = Duration::Seconds(20),
                 .checkpoint_every = Duration::Seconds(30)},
                At(0), At(0));
  EXPECT_EQ(plan.WakeAt(), At(30));
  EXPECT_EQ(Due(plan, At(30)), "warn ");
  EXPECT_EQ(plan.warning().reason, "Checkpoint");
  EXPECT_EQ(plan.warning().deadline, At(60));
  EXPECT_EQ(Due(plan, At(59)), "");
  EXPECT_EQ(Due(plan, At(75)), "warn ");  // late, and once
  EXPECT_EQ(plan.WakeAt(), At(80));
  EXPECT_EQ(Due(plan, At(80)), "warn ");
  EXPECT_EQ(plan.warning().reason, "TimeLimit");
  EXPECT_EQ(plan.WakeAt(), At(100)) << "the notice stands";
  EXPECT_EQ(Due(plan, At(100)), "term ");
}

TEST(StopPlan, ALimitThatMoneySetSaysSo) {
  StopPlan plan({.time_limit = Duration::Seconds(60), .limit_reason = "Budget"}, At(0), At(0));
  EXPECT_EQ(Due(plan, At(60)), "warn term kill ");
  EXPECT_EQ(plan.reason(), "Budget");
}

TEST(StopPlan, StopReasonsAreEndReasons) {
  EXPECT_EQ(EndReasonOfStop("Cancel"), "CancelledByUser");
  EXPECT_EQ(EndReasonOfStop("Preempt"), "Preempted");
  EXPECT_EQ(EndReasonOfStop("Budget"), "Budget");
  EXPECT_EQ(EndReasonOfStop("SpotReclaim"), "SpotReclaim");
  EXPECT_EQ(EndReasonOfStop("NodeDrain"), "NodeDrain");
  EXPECT_EQ(EndReasonOfStop("TimeLimit"), "TimeLimit");
}

}  // namespace
}  // namespace pinka
