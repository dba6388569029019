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

// A budget of a term: from one day to another of the lab's calendar.
LabChange Dated(int64_t yuan, Timestamp from, Timestamp until) {
  LabChange change;
  LabChange::Limit limit;
  limit.row.resource = LimitResource::kMoney;
  limit.row.of = LimitOf::kAll;
  limit.row.period = Period::kDated;
  limit.row.amount = yuan * kYuan;
  limit.row.starts_at = from;
  limit.row.until = until;
  limit.scope = "lab";
  change.limits.push_back(limit);
  return change;
}

TEST(DatedLimit, CountsItsOwnDaysAlone) {
  CoreWorld w(At(2026, 9, 10, 12));
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  const auto run = [&](int64_t hours) {
    const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(hours)));
    if (w.StateOf(job) != TaskState::kStarting) return job;
    w.Run(job);
    w.Advance(Duration::Hours(hours));
    w.End(job, EndReason::kTimeLimit);
    return job;
  };
  run(3);  // 36.00 before it begins
  w.Apply(Dated(30, At(2026, 9, 12), At(2026, 10, 3)));
  run(3);
  w.AdvanceTo(At(2026, 9, 12, 1));
  const LimitRow limit = w.state().limits.rows().begin()->second;
  EXPECT_EQ(UsedOf(w.state(), limit, MemberId()), 0);
  run(2);  // 24.00
  w.AdvanceTo(At(2026, 10, 1, 1));
  w.Reload();
  EXPECT_EQ(UsedOf(w.state(), limit, MemberId()), 24 * kYuan) << "over the month's end";
  const JobId waits = run(1);
  EXPECT_EQ(w.WhyWaits(waits), Reason::kBudget);
  w.AdvanceTo(At(2026, 10, 3));
  EXPECT_EQ(w.StateOf(waits), TaskState::kStarting) << "it is over";
}

TEST(DatedLimit, KeepsDaysAsLongAsItNeedsThem) {
  CoreWorld w(At(2026, 9, 1, 1));
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  w.Apply(Dated(100, At(2026, 9, 1), At(2026, 12, 25)));
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  w.Run(job);
  w.Advance(Duration::Hours(2));
  w.End(job, EndReason::kTimeLimit);
  w.AdvanceTo(At(2026, 12, 20));  // 110 days later
  w.Reload();
  const LimitRow limit = w.state().limits.rows().begin()->second;
  EXPECT_EQ(UsedOf(w.state(), limit, MemberId()), 24 * kYuan);
  w.AdvanceTo(At(2026, 12, 26));
  w.Reload();
  EXPECT_EQ(SpendKeptFrom(w.state()), w.now - kKeepSpend);
}

TEST(DatedLimit, IsRefusedBesideTheCalendar) {
  CoreWorld w(At(2026, 9, 10, 12));
  const auto reason = [&](Timestamp from, Timestamp until) {
    return w.Do(ApplyLab{w.Admin(), {}, Dated(30, from, until), false}).reason;
  };
  EXPECT_EQ(reason(At(2026, 9, 10), At(2026, 9, 12)), Reason::kOk);
  EXPECT_EQ(reason(At(2026, 9, 10, 1), At(2026, 9, 13)), Reason::kBadRequest);
  EXPECT_EQ(reason(At(2026, 9, 10), At(2026, 9, 13, 0, 0, 1)), Reason::kBadRequest);
  EXPECT_EQ(reason(At(2026, 9, 13), At(2026, 9, 13)), Reason::kBadRequest);
  EXPECT_EQ(reason(At(2026, 9, 13), {}), Reason::kBadRequest);
  EXPECT_EQ(reason({}, At(2026, 9, 13)), Reason::kBadRequest);
  EXPECT_EQ(reason(At(2026, 9, 13), At(2030, 1, 1)), Reason::kBadRequest);
  EXPECT_EQ(reason(At(2026, 6, 1), At(2026, 10, 1)), Reason::kBadRequest);
  LabChange month = Dated(30, At(2026, 9, 13), At(2026, 9, 14));
  month.limits[0].row.period = Period::kMonth;
  EXPECT_EQ(w.Do(ApplyLab{w.Admin(), {}, month, false}).reason, Reason::kBadRequest);
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
