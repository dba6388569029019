// Faults that others had with charges, as replays over holds.cc, lots.cc and end_reason.cc: C29 C30
// C34 C36.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

Reply SetTime(CoreWorld& w, JobId job, Duration time) {
  EditJob command;
  command.actor = w.Admin();
  command.job = job;
  command.set_time = true;
  command.time_limit = time;
  return w.Do(command);
}

// Charged less taken back, and the unit-time of it, by job.
std::map<JobId, std::pair<Money, int64_t>> Charged(const CoreWorld& w) {
  std::map<JobId, std::pair<Money, int64_t>> charged;
  for (const TransferRow& row : w.Transfers(TransferKind::kCharge)) {
    charged[row.attempt.job].first += row.amount;
    charged[row.attempt.job].second += row.unit_ms;
  }
  return charged;
}

TEST(UseBeyondTheHold, IsTheLabsAndNeverTheMembers) {  // C29
  CoreWorld w;
  w.Deposit("alice", 12);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.SetRate("a100", Rate::MicrosPerUnitHour(15'000'000));
  w.Advance(Duration::Minutes(65));  // TERM is ignored for the grace of five minutes
  w.AgentOf(w.Attempt(job)).Find(w.Attempt(job))->overrun_ms = 5 * 60'000;
  w.End(job, EndReason::kTimeLimit);
  EXPECT_EQ(w.StateOf(job), TaskState::kTimeout) << "at its limit, not at some balance";
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(12)) << "at the price of its start";
  EXPECT_EQ(w.Balance(AccountKind::kOverheadOverrun, "lab"), Money::Whole(1));
  EXPECT_EQ(w.Available("alice"), Money());
}

TEST(UseBeyondTheHold, NeedsALargerHoldFirst) {  // C29
  CoreWorld w;
  w.Deposit("alice", 12);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  EXPECT_EQ(SetTime(w, job, Duration::Hours(3)).reason, Reason::kBudget);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(12));
  w.Deposit("alice", 24);
  EXPECT_EQ(SetTime(w, job, Duration::Hours(3)).reason, Reason::kOk);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(36));
  w.Advance(Duration::Hours(3));
  w.End(job, EndReason::kTimeLimit);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(36));
}

TEST(GrantsThatExpire, AreSpentFirstAndLapseWithoutANightlyJob) {  // C30
  CoreWorld w(At(2026, 6, 29, 23));
  const LotId grant = w.Deposit("alice", Money::Whole(50), At(2026, 7, 1));
  const LotId other = w.Deposit("alice", 50);
  w.AddNode("box", "t4", 1);
  const JobId job = w.Submit("alice", w.Job("t4", Duration::Hours(30)));  // 60.00
  EXPECT_EQ(w.Lot(grant).held, Money::Whole(50));
  EXPECT_EQ(w.Lot(other).held, Money::Whole(10));
  w.Run(job);
  w.AdvanceTo(At(2026, 7, 1, 4));
  w.AgentOf(w.Attempt(job)).Find(w.Attempt(job))->exited = true;
  w.End(job, EndReason::kExited, 0, int64_t{20} * 3'600'000);  // 40.00
  EXPECT_EQ(w.Lot(grant).posted, Money::Whole(40)) << "the hold was taken in time";
  EXPECT_TRUE(w.Lot(grant).lapsed);
  EXPECT_EQ(w.Balance(AccountKind::kLapsed, "alice"), Money::Whole(10));
  EXPECT_EQ(w.Available("alice"), Money::Whole(50));
  const Reply more = w.TrySubmit("alice", w.Job("t4", Duration::Hours(35)));  // 70.00
  EXPECT_EQ(more.reason, Reason::kBudget) << more.detail;
}

TEST(WhatHasEnded, CostsNoMoreWheneverItIsAsked) {  // C34
  CoreWorld w;
  w.Deposit("lab", 100);
  w.AddNode("box", "a100", 1);
  const JobId ran = w.Submit("alice", w.Job("a100"));
  w.Run(ran);
  const JobId cancelled = w.Submit("alice", w.Job("a100"));
  w.Change("alice", JobVerb::kCancel, cancelled);
  w.Advance(Duration::Minutes(10));
  w.Exit(ran, 0);
  JobRequest request = w.Job("a100", Duration::Hours(2));
  const JobId lost = w.Submit("bob", request);
  w.Advance(Duration::Hours(1));
  w.End(lost, EndReason::kLaunchFailed);  // never came up
  w.Change("bob", JobVerb::kCancel, lost);
  const JobId twice = w.Submit("carol", request);
  w.Run(twice);
  w.Advance(Duration::Hours(1));
  w.End(twice, EndReason::kRunAgain);
  w.Change("carol", JobVerb::kHold, twice);
  w.Advance(Duration::Hours(5));
  w.Change("carol", JobVerb::kRelease, twice);
  w.Run(twice);
  w.Advance(Duration::Hours(1));
  w.Exit(twice, 0);
  const auto now = Charged(w);
  ASSERT_EQ(now.size(), 2u) << "what never ran has no charge";
  EXPECT_EQ(now.at(ran), std::pair(Money::Whole(2), int64_t{600'000}));
  EXPECT_EQ(now.at(twice), std::pair(Money::Whole(24), int64_t{7'200'000}));
  for (const Duration later : {Duration::Hours(1), Duration::Days(40)}) {
    w.Advance(later);
    w.Reload();
    EXPECT_EQ(Charged(w), now);
  }
}

TEST(TheMeter, RunsFromTheProcessesStartToTheirEnd) {  // C36
  CoreWorld w;
  w.Deposit("alice", 100);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Begin(job);
  w.Advance(Duration::Minutes(3));  // staging
  w.Run(job);
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(6));
  const JobId failed = w.Submit("alice", w.Job("a100"));
  w.Begin(failed);
  w.Advance(Duration::Minutes(3));
  w.End(failed, EndReason::kStagingFailed);
  EXPECT_EQ(Charged(w).size(), 1u) << "waiting and staging are nobody's";
}

}  // namespace
}  // namespace pinka::test
