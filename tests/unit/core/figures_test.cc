// figures.cc: what Prometheus is told, beside what core's other views say.
#include "scheduler/core/figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  Lab() {
    w.Deposit("lab", 1'000);
    w.Limit(LimitResource::kMoney, 800'000'000, "lab", LimitOf::kAll, Period::kMonth);
    w.Limit(LimitResource::kRunningUnits, 4, "lab", LimitOf::kEach);  // a member's: not told
    w.AddNode("box", "a100", 3);
    runs = w.Submit("alice", w.Job("a100", Duration::Hours(3)));
    w.Run(runs);
  }
  Figures::Tier A100() const {
    const Figures all = FiguresOf(w.state());
    return *std::ranges::find(all.tiers, "a100", &Figures::Tier::name);
  }
  CoreWorld w;
  JobId runs;
};

TEST(Figures, CountUnitsTasksAndNodes) {
  Lab lab;
  const JobId waits = lab.w.Submit("bob", lab.w.Job("a100", Duration::Hours(1), 3));
  EXPECT_EQ(lab.A100().units, 3);
  EXPECT_EQ(lab.A100().free, 2);
  EXPECT_EQ(lab.A100().tasks[static_cast<size_t>(TaskState::kRunning)], 1);
  EXPECT_EQ(lab.A100().tasks[static_cast<size_t>(TaskState::kPending)], 1);
  EXPECT_EQ(lab.A100().nodes[static_cast<size_t>(NodeState::kReady)], 1);
  lab.w.Advance(Duration::Minutes(7));
  EXPECT_EQ(lab.A100().oldest_wait, Duration::Minutes(7));
  lab.w.Change("bob", JobVerb::kCancel, waits);
  EXPECT_EQ(lab.A100().oldest_wait, Duration());
}

TEST(Figures, MoneyIsWhatTheLotsAndTheMonthSay) {
  Lab lab;
  const Figures before = FiguresOf(lab.w.state());
  EXPECT_EQ(before.open_holds, 1);
  EXPECT_EQ(before.held, lab.w.HoldOf(lab.runs).amount);
  EXPECT_EQ(before.held + before.available, Money::Whole(1'000));
  lab.w.Advance(Duration::Hours(1));
  lab.w.Exit(lab.runs, 0);
  const Figures after = FiguresOf(lab.w.state());
  EXPECT_EQ(after.open_holds, 0);
  EXPECT_EQ(after.held, Money());
  EXPECT_EQ(lab.A100().charged + after.available, Money::Whole(1'000));
  EXPECT_GT(lab.A100().charged, Money());
  EXPECT_EQ(lab.A100().unit_ms, 3'600'000);
  ASSERT_EQ(after.limits.size(), 1u);
  EXPECT_EQ(after.limits[0].scope, "lab");
  EXPECT_EQ(after.limits[0].amount, 800'000'000);
  EXPECT_EQ(after.limits[0].used, lab.A100().charged.micros());
}

}  // namespace
}  // namespace pinka::test
