#include "scheduler/core/limits.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kYuan = 1'000'000;

TEST(MoneyLimit, OfAMonthCountsWhatIsPostedAndWhatIsHeld) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  w.Limit(LimitResource::kMoney, 30 * kYuan, "alice", LimitOf::kEach, Period::kMonth);
  const JobId one = w.Submit("alice", w.Job("a100", Duration::Hours(2)));  // 24
  const JobId two = w.Submit("alice", w.Job("a100", Duration::Hours(1)));  // 12
  EXPECT_EQ(w.StateOf(two), TaskState::kPending);
  EXPECT_EQ(w.WhyWaits(two), Reason::kBudget);
  w.Run(one);
  w.Advance(Duration::Minutes(80));
  w.Exit(one, 0);  // 16 posted, 14 left
  EXPECT_EQ(w.StateOf(two), TaskState::kStarting);
}

TEST(MoneyLimit, AcrossABoundaryLeavesWhatWasMeteredAndMovesTheRest) {
  CoreWorld w(At(2026, 9, 30, 12));
  w.Deposit("lab", 10'000);
  w.AddNode("box", "a100", 8);
  w.Limit(LimitResource::kMoney, 600 * kYuan, "alice", LimitOf::kEach, Period::kMonth);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(40)));  // 480
  w.Run(job);
  const auto used = [&] {
    for (const auto& use : w.state().limits.rows()) {
      if (!use.second.absent) return UsedOf(w.state(), use.second, w.Member("alice"));
    }
    return int64_t{-1};
  };
  EXPECT_EQ(used(), 480 * kYuan);
  w.AdvanceTo(At(2026, 10, 1, 0, 1));
  w.Do(StoreMeters{{{w.Attempt(job), (12 * 60 + 1) * 60'000, 0}}});
  EXPECT_EQ(used(), (480 - 144) * kYuan) << "September keeps 144.00, October holds the rest";
  EXPECT_EQ(w.Transfers(TransferKind::kCharge).at(0).amount, Money::Whole(144));
  w.Advance(Duration::Hours(1));
  w.End(job, EndReason::kTimeLimit, 0, 13 * 3'600'000);
  EXPECT_EQ(used(), 12 * kYuan);
}

TEST(MoneyLimit, NewPeriodLetsWaitingWorkStartAtTheBoundary) {
  CoreWorld w(At(2026, 9, 30, 23));
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  w.Limit(LimitResource::kMoney, 12 * kYuan, "lab", LimitOf::kEach, Period::kDay);
  const JobId one = w.Submit("alice", w.Job("a100"));
  w.Run(one);
  w.Advance(Duration::Minutes(30));
  w.Exit(one, 0);
  const JobId two = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.StateOf(two), TaskState::kPending);
  EXPECT_LE(w.core().NextWakeup(), At(2026, 10, 1));
  w.AdvanceTo(At(2026, 10, 1));
  EXPECT_EQ(w.StateOf(two), TaskState::kStarting);
}

TEST(EachLimit, OfTheNearestScopeWins) {
  CoreWorld w;
  w.AddProject("nlp", {"alice", "bob"});
  w.Limit(LimitResource::kRunningUnits, 10, "lab");
  w.Limit(LimitResource::kRunningUnits, 5, "project:nlp");
  w.Limit(LimitResource::kRunningUnits, 7, "alice");
  w.Limit(LimitResource::kRunningUnits, 2, "project:nlp/bob");
  const ProjectId nlp = w.state().project_by_name.at("nlp");
  const auto amount = [&](const std::string& member, ProjectId project) {
    const auto limits = LimitsFor(w.state(), w.Member(member), project, w.Tier("a100"));
    EXPECT_EQ(limits.size(), 1u);
    return limits.at(0)->amount;
  };
  EXPECT_EQ(amount("carol", {}), 10);
  EXPECT_EQ(amount("alice", {}), 7);
  EXPECT_EQ(amount("alice", nlp), 7);
  EXPECT_EQ(amount("bob", nlp), 2);
  EXPECT_EQ(amount("bob", {}), 10);
}

TEST(AllLimit, OfEveryAncestorApplies) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddProject("nlp", {"alice", "bob"});
  w.AddNode("box", "a100", 9);
  w.Limit(LimitResource::kRunningUnits, 4, "lab", LimitOf::kAll);
  w.Limit(LimitResource::kRunningUnits, 2, "project:nlp", LimitOf::kAll);
  JobRequest in_project = w.Job("a100");
  in_project.project = w.state().project_by_name.at("nlp");
  w.Submit("alice", in_project);
  w.Submit("bob", in_project);
  const JobId third = w.Submit("alice", in_project);
  EXPECT_EQ(w.WhyWaits(third), Reason::kProjectMaxRunning);
  w.Submit("carol", w.Job("a100"));
  w.Submit("carol", w.Job("a100"));
  const JobId fifth = w.Submit("carol", w.Job("a100"));
  EXPECT_EQ(w.StateOf(fifth), TaskState::kPending);
  EXPECT_EQ(w.Running(), 4);
}

TEST(Limit, OfZeroAllowsNothingAndUnlimitedIsSaid) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.Limit(LimitResource::kRunningUnits, 0, "lab");
  const Reply refused = w.TrySubmit("alice", w.Job("a100"));
  EXPECT_EQ(refused.reason, Reason::kMemberMaxRunning);
  EXPECT_NE(refused.detail.find("could never run"), std::string::npos) << refused.detail;
  LabChange change;
  LabChange::Limit limit;
  limit.row.resource = LimitResource::kRunningUnits;
  limit.row.unlimited = true;
  limit.scope = "alice";
  change.limits.push_back(limit);
  w.Apply(change);
  EXPECT_EQ(w.TrySubmit("alice", w.Job("a100")).reason, Reason::kOk);
  EXPECT_EQ(w.TrySubmit("bob", w.Job("a100")).reason, Reason::kMemberMaxRunning);
}

TEST(Raise, EndsByItself) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  w.Limit(LimitResource::kRunningUnits, 1, "lab");
  LabChange change;
  LabChange::Limit raise;
  raise.row.resource = LimitResource::kRunningUnits;
  raise.row.amount = 3;
  raise.row.until = w.now + Duration::Hours(1);
  raise.scope = "lab";
  change.limits.push_back(raise);
  w.Apply(change);
  const JobId one = w.Submit("alice", w.Job("a100"));
  w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.Running(), 2);
  w.Advance(Duration::Hours(1));
  EXPECT_EQ(w.Running(), 2) << "lowering never kills";
  w.Run(one);
  w.Exit(one, 0);
  const JobId three = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.WhyWaits(three), Reason::kMemberMaxRunning);
}

TEST(QueuedTasks, AreCountedAtSubmitWithTheRequestItself) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.Limit(LimitResource::kQueuedTasks, 5, "lab");
  JobRequest array = w.Job("a100");
  array.array = "0-3";
  EXPECT_EQ(w.TrySubmit("alice", array).reason, Reason::kOk);
  EXPECT_EQ(w.TrySubmit("alice", array).reason, Reason::kQueuedTasks);
  EXPECT_EQ(w.TrySubmit("alice", w.Job("a100")).reason, Reason::kOk);
  EXPECT_EQ(w.TrySubmit("alice", w.Job("a100")).reason, Reason::kQueuedTasks);
  EXPECT_EQ(w.TrySubmit("bob", w.Job("a100")).reason, Reason::kOk);
}

TEST(UnitHours, AreAskedForWholeAndCountedAsUsed) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  w.Limit(LimitResource::kUnitHours, 3 * 3'600'000, "lab", LimitOf::kEach, Period::kMonth);
  const JobId two = w.Submit("alice", w.Job("a100", Duration::Hours(1), 2));
  const JobId more = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  EXPECT_EQ(w.StateOf(more), TaskState::kPending);
  w.Run(two);
  w.Advance(Duration::Minutes(30));
  w.Exit(two, 0);
  EXPECT_EQ(w.StateOf(more), TaskState::kStarting);
}

}  // namespace
}  // namespace pinka::test
