#include "agent/core/stop_plan.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

using Act = StopPlan::Act;

Duration At(int64_t seconds) { return Duration::Seconds(1'000 + seconds); }

StopPlan Plan(int64_t limit_s, int64_t grace_s, int64_t fence_s = 0) {
  return StopPlan({.time_limit = Duration::Seconds(limit_s),
                   .grace = Duration::Seconds(grace_s),
                   .fence = Duration::Seconds(fence_s)},
                  At(0), At(0));
}

TEST(StopPlan, LetsAJobRunUntilItsLimitThenTermGraceKill) {
  StopPlan plan = Plan(60, 10);
  EXPECT_EQ(plan.WakeAt(), At(60));
  EXPECT_EQ(plan.Next(At(59)), Act::kNone);
  EXPECT_EQ(plan.Next(At(60)), Act::kTerm);
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
  EXPECT_EQ(plan.Next(At(5)), Act::kTerm);
  plan.Ask("Preempt", Duration::Seconds(2), At(6));
  EXPECT_EQ(plan.reason(), "Cancel");
  EXPECT_EQ(plan.Next(At(7)), Act::kNone);
  EXPECT_EQ(plan.Next(At(8)), Act::kKill);
}

TEST(StopPlan, ALaterStopNeverLengthensTheGrace) {
  StopPlan plan = Plan(0, 30);
  plan.Ask("Cancel", Duration::Seconds(2), At(5));
  plan.Ask("Cancel", Duration::Seconds(100), At(5));
  EXPECT_EQ(plan.Next(At(5)), Act::kTerm);
  EXPECT_EQ(plan.Next(At(7)), Act::kKill);
}

TEST(StopPlan, ANegativeGraceIsNone) {
  StopPlan plan = Plan(0, 30);
  plan.Ask("Cancel", Duration::Seconds(-5), At(5));
  EXPECT_EQ(plan.Next(At(5)), Act::kTerm);
  EXPECT_EQ(plan.Next(At(5)), Act::kKill);
}

TEST(StopPlan, TheFenceMovesWithTheHeartbeat) {
  StopPlan plan = Plan(0, 10, 20);
  EXPECT_EQ(plan.WakeAt(), At(20));
  plan.Heartbeat(At(15));
  plan.Heartbeat(At(12));  // late news
  EXPECT_EQ(plan.Next(At(34)), Act::kNone);
  EXPECT_EQ(plan.Next(At(35)), Act::kTerm);
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
  EXPECT_EQ(plan.Next(At(1)), Act::kTerm);
  plan.MainEnded(At(2));
  EXPECT_EQ(plan.reason(), "Cancel");
  EXPECT_EQ(plan.WakeAt(), At(31));
}

TEST(StopPlan, StopReasonsAreEndReasons) {
  EXPECT_EQ(EndReasonOfStop("Cancel"), "CancelledByUser");
  EXPECT_EQ(EndReasonOfStop("Preempt"), "Preempted");
  EXPECT_EQ(EndReasonOfStop("Budget"), "Budget");
  EXPECT_EQ(EndReasonOfStop("NodeDrain"), "NodeDrain");
  EXPECT_EQ(EndReasonOfStop("TimeLimit"), "TimeLimit");
}

}  // namespace
}  // namespace pinka
