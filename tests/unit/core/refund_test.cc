// refund: the worked number of semantics.md 9, and what entries.cc says is left of a charge.
#include <gtest/gtest.h>

#include <functional>

#include "scheduler/core/entries.h"
#include "scheduler/core/limits.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

AttemptId TaskOf(JobId job) { return {job, 0, 0}; }

// A job on an a100 that ran for 40 minutes: 8.00.
JobId RunForEightYuan(CoreWorld& w, const std::string& member = "alice") {
  const JobId job = w.Submit(member, w.Job("a100", Duration::Hours(2)));
  w.Run(job);
  w.Advance(Duration::Minutes(40));
  w.Exit(job, 0);
  return job;
}

TransferId ChargeOf(const CoreWorld& w, size_t n = 0) {
  return w.Transfers(TransferKind::kCharge).at(n).id;
}

Money SpentBy(const CoreWorld& w, const std::string& member) {
  Money sum;
  for (const auto& [id, account] : w.store().tables().accounts) {
    if (account.kind != AccountKind::kSpent || account.owner != OwnedBy(w.Member(member))) continue;
    for (const auto& [t, row] : w.store().tables().transfers) {
      if (row.credit == id) sum += row.amount;
      if (row.debit == id) sum -= row.amount;
    }
  }
  return sum;
}

TEST(Refund, OfFourYuanOfEightGivesBackTheLastLineFirst) {
  CoreWorld w;
  const LotId a = w.Deposit("alice", Money::Whole(5), w.now + Duration::Days(2));
  const LotId b = w.Deposit("alice", Money::Whole(20), w.now + Duration::Days(4));
  w.AddNode("box", "a100", 1);
  const JobId job = RunForEightYuan(w);
  EXPECT_EQ(w.Lot(a).posted, Money::Whole(5));
  EXPECT_EQ(w.Lot(b).posted, Money::Whole(3));
  const Reply reply = w.Refund(TaskOf(job), Money::Whole(4), "r-1");
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(reply.count, 2);
  EXPECT_EQ(w.Lot(b).posted, Money()) << "B 3.00";
  EXPECT_EQ(w.Lot(a).posted, Money::Whole(4)) << "A 1.00";
  EXPECT_EQ(SpentBy(w, "alice"), Money::Whole(4));
  const auto rows = w.Transfers(TransferKind::kRefund);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id.value(), reply.first);
  EXPECT_EQ(rows[0].amount, Money::Whole(3));
  EXPECT_EQ(rows[0].linked, ChargeOf(w, 1));
  EXPECT_EQ(rows[1].amount, Money::Whole(1));
  EXPECT_EQ(rows[1].linked, ChargeOf(w, 0));
  EXPECT_EQ(rows[0].attempt, w.Attempt(job));
  EXPECT_EQ(rows[0].unit_ms, 0);
  EXPECT_EQ(rows[0].person, w.Member("admin"));
  EXPECT_EQ(w.store().tables().settlements.at(w.Attempt(job)).charged, Money::Whole(8));
}

TEST(Refund, StandsSeveralTimesTogetherAtMostTheCharge) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  const JobId job = RunForEightYuan(w);
  const TransferId charge = ChargeOf(w);
  EXPECT_EQ(w.Refund(charge, Money::Whole(3), "r-1").reason, Reason::kOk);
  EXPECT_EQ(w.Refund(TaskOf(job), Money::Whole(3), "r-2").reason, Reason::kOk);
  w.Reload();
  const Reply refused = w.Refund(charge, Money::Micros(2'000'001), "r-3");
  EXPECT_EQ(refused.reason, Reason::kInsufficient);
  EXPECT_NE(refused.detail.find("¥2.00 is left"), std::string::npos) << refused.detail;
  EXPECT_EQ(w.Refund(charge, Money::Whole(2), "r-3").reason, Reason::kOk);
  EXPECT_EQ(w.Refund(w.Attempt(job), Money::Micros(1), "r-4").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Lot(lot).posted, Money());
  EXPECT_EQ(w.Available("alice"), Money::Whole(30));
}

TEST(Refund, IsBookedOnceForEver) {
  CoreWorld w;
  w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  const JobId job = RunForEightYuan(w);
  const Reply first = w.Refund(TaskOf(job), Money::Whole(8), "r-1");
  w.Advance(Duration::Days(40));
  w.Reload();
  const Reply again = w.Refund(TaskOf(job), Money::Whole(8), "r-1");
  EXPECT_TRUE(again.repeated) << "the first answer, though nothing is left to give back";
  EXPECT_EQ(again.reason, Reason::kOk);
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(again.count, first.count);
  EXPECT_EQ(w.Refund(TaskOf(job), Money::Whole(7), "r-1").reason, Reason::kConflict);
  EXPECT_EQ(w.Transfers(TransferKind::kRefund).size(), 1u);
}

TEST(Refund, OfALotThatHasEndedMakesANewOneForThirtyDays) {
  CoreWorld w;
  pinka::Deposit tied;
  tied.actor = w.Admin();
  tied.to = OwnedBy(w.Member("alice"));
  tied.amount = Money::Whole(30);
  tied.tier = w.Tier("a100");
  tied.until = w.now + Duration::Days(1);
  const LotId old = LotId(w.Do(tied).first);
  w.AddNode("box", "a100", 1);
  const JobId job = RunForEightYuan(w);
  w.Advance(Duration::Days(2));
  EXPECT_TRUE(w.Lot(old).lapsed);
  EXPECT_EQ(w.Refund(TaskOf(job), Money::Whole(3), "r-1").reason, Reason::kOk);
  EXPECT_EQ(w.Lot(old).posted, Money::Whole(8)) << "what has ended stays as it was";
  const LotRow fresh = w.store().tables().lots.rbegin()->second;
  EXPECT_NE(fresh.id, old);
  EXPECT_EQ(fresh.owner, OwnedBy(w.Member("alice")));
  EXPECT_EQ(fresh.tier, w.Tier("a100"));
  EXPECT_EQ(fresh.ends_at, w.now + Duration::Days(30));
  EXPECT_EQ(fresh.credited, Money::Whole(3));
  EXPECT_EQ(SpentBy(w, "alice"), Money::Whole(5));
}

TEST(Refund, CountsInThePeriodInWhichItIsMadeAndNotInFairShare) {
  CoreWorld w(At(2026, 9, 30, 12));
  w.Deposit("lab", 100);
  w.AddNode("box", "a100", 1);
  const LimitId limit =
      w.Limit(LimitResource::kMoney, 10'000'000, "lab", LimitOf::kEach, Period::kMonth);
  const LimitId hours = w.Limit(LimitResource::kUnitHours, 3'600'000 * 9, "lab", LimitOf::kEach);
  JobRequest request = w.Job("a100", Duration::Minutes(40));
  const JobId job = w.Submit("alice", request);
  w.Run(job);
  w.Advance(Duration::Minutes(40));
  w.Exit(job, 0);
  const auto used = [&](LimitId id) {
    return UsedOf(w.state(), w.state().limits.Get(id), w.Member("alice"));
  };
  EXPECT_EQ(used(limit), 8'000'000);
  w.AdvanceTo(At(2026, 10, 2));
  EXPECT_EQ(used(limit), 0);
  const auto usage = w.state().usage.Get({w.Member("alice"), {}});
  const int64_t unit_ms = used(hours);
  EXPECT_EQ(w.Refund(TaskOf(job), Money::Whole(4), "r-1").reason, Reason::kOk);
  EXPECT_EQ(used(limit), -4'000'000);
  EXPECT_EQ(used(hours), unit_ms) << "money comes back, the hours were used";
  EXPECT_EQ(w.state().usage.Get({w.Member("alice"), {}}), usage);
}

TEST(Refund, WaitsForTheEndOfTheAttempt) {
  CoreWorld w(At(2026, 9, 30, 23));
  w.Deposit("alice", 60);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(3)));
  w.Run(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 1));
  w.Do(StoreMeters{{{w.Attempt(job), 61 * 60'000, 0}}});
  ASSERT_EQ(w.Transfers(TransferKind::kCharge).size(), 1u) << "September's part is posted";
  const TransferId september = ChargeOf(w);
  const auto read_before = w.store().EntryNamed(september);
  EXPECT_EQ(w.Refund(september, Money::Whole(1), "r-1").reason, Reason::kConflict);
  const Reply refused = w.Refund(TaskOf(job), Money::Whole(1), "r-1");
  EXPECT_EQ(refused.reason, Reason::kConflict);
  EXPECT_NE(refused.detail.find("has not ended"), std::string::npos) << refused.detail;
  EXPECT_EQ(w.Correct(september, Money::Whole(1), "c-1").reason, Reason::kConflict);
  w.Advance(Duration::Minutes(20));
  w.Exit(job, 0);
  // What was read while it ran may not be all: not even now.
  pinka::Refund stale{w.Admin(),       {"r-2", "h"}, september,  "entry",
                      Money::Whole(1), "why",        read_before};
  EXPECT_EQ(w.Do(stale).reason, Reason::kConflict);
  EXPECT_EQ(w.Refund(september, Money::Whole(12), "r-1").reason, Reason::kOk);
}

TEST(Refund, GivesNothingBackThatTheSettleHasTakenBack) {
  CoreWorld w(At(2026, 9, 30, 23));
  const LotId lot = w.Deposit("alice", 60);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(3)));
  w.Run(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 1));
  w.Do(StoreMeters{{{w.Attempt(job), 61 * 60'000, 0}}});
  const AttemptId attempt = w.Attempt(job);
  w.End(job, EndReason::kDiskFull);
  ASSERT_EQ(w.Transfers(TransferKind::kReversal).size(), 1u) << "the lab pays";
  EXPECT_EQ(w.Refund(ChargeOf(w), Money::Micros(1), "r-1").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Refund(attempt, Money::Micros(1), "r-1").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Correct(ChargeOf(w), -Money::Micros(1), "c-1").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Lot(lot).posted, Money());
}

TEST(Refund, IntoALotWithOpenHoldsIsFreeAtOnceAndTheSettleIsRight) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  const JobId first = RunForEightYuan(w);                                   // leaves 22.00
  const JobId open = w.Submit("alice", w.Job("a100", Duration::Hours(1)));  // holds 12.00
  w.Run(open);
  EXPECT_EQ(w.Available("alice"), Money::Whole(10));
  EXPECT_EQ(w.Refund(TaskOf(first), Money::Whole(8), "r-1").reason, Reason::kOk);
  EXPECT_EQ(w.Available("alice"), Money::Whole(18));
  EXPECT_EQ(w.Lot(lot).held, Money::Whole(12));
  w.Advance(Duration::Minutes(30));
  w.Exit(open, 0);
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(6));
  EXPECT_EQ(w.Available("alice"), Money::Whole(24));
}

TEST(Refund, LeavesARerunToBeCharged) {
  CoreWorld w;
  w.Deposit("alice", 60);
  w.AddNode("box", "a100", 1);
  JobRequest request = w.Job("a100", Duration::Hours(1));
  request.retries = 1;
  const JobId job = w.Submit("alice", request);
  w.Run(job);
  w.Advance(Duration::Minutes(40));
  const AttemptId first = w.Attempt(job);
  w.Exit(job, 3);
  EXPECT_EQ(w.Refund(first, Money::Whole(8), "r-1").reason, Reason::kOk);
  EXPECT_EQ(SpentBy(w, "alice"), Money());
  w.Run(job);
  w.Advance(Duration::Minutes(10));
  w.Exit(job, 0);
  EXPECT_EQ(SpentBy(w, "alice"), Money::Whole(2));
  EXPECT_EQ(w.Refund(first, Money::Micros(1), "r-2").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Refund(TaskOf(job), Money::Whole(2), "r-2").reason, Reason::kOk)
      << "of the task the last attempt is left";
}

TEST(Refund, LetsBlockedWorkStart) {
  CoreWorld w;
  w.Deposit("alice", 24);
  w.AddNode("box", "a100", 2);
  const JobId done = RunForEightYuan(w);                 // leaves 16.00
  w.Submit("alice", w.Job("a100", Duration::Hours(1)));  // holds 12.00
  const JobId waits = w.Submit("alice", w.Job("a100", Duration::Minutes(30)));
  EXPECT_EQ(w.StateOf(waits), TaskState::kPending);
  w.Refund(TaskOf(done), Money::Whole(2), "r-1");
  EXPECT_EQ(w.StateOf(waits), TaskState::kStarting);
}

TEST(Refund, RefusesInOrder) {
  CoreWorld w;
  w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  const JobId job = RunForEightYuan(w);
  const TransferId deposit = w.Transfers(TransferKind::kDeposit)[0].id;
  const int64_t entries = w.state().lab.next_transfer;
  const pinka::Refund good{w.Admin(),
                           {"r", "h"},
                           ChargeOf(w),
                           "entry",
                           Money::Whole(1),
                           "why",
                           w.store().EntryNamed(ChargeOf(w))};
  struct {
    std::function<void(pinka::Refund&)> spoil;
    Reason reason;
  } table[] = {
      {[&](auto& c) { c.actor = w.By("alice"); }, Reason::kNotPermitted},
      {[](auto& c) { c.amount = Money(); }, Reason::kBadRequest},
      {[](auto& c) { c.amount = -Money::Whole(1); }, Reason::kBadRequest},
      {[](auto& c) { c.reason.clear(); }, Reason::kBadRequest},
      {[](auto& c) { c.request = {}; }, Reason::kBadRequest},
      {[](auto& c) { c.entry = TransferId(999); }, Reason::kNoSuchEntry},
      {[](auto& c) { c.entries.clear(); }, Reason::kNoSuchEntry},
      {[&](auto& c) {
         c.entry = {}, c.entries = w.store().ChargesOf({JobId(99), 0, 0});
       },
       Reason::kNoSuchEntry},
      {[&](auto& c) { c.entry = deposit, c.entries = w.store().EntryNamed(deposit); },
       Reason::kBadRequest},
      {[](auto& c) { c.amount = Money::Micros(8'000'001); }, Reason::kInsufficient},
      {[](auto& c) { c.amount = Money::Micros(INT64_MAX); }, Reason::kInsufficient},
  };
  for (const auto& row : table) {
    pinka::Refund command = good;
    row.spoil(command);
    const Reply reply = w.Do(command);
    EXPECT_EQ(reply.reason, row.reason) << reply.detail;
    EXPECT_FALSE(reply.detail.empty());
  }
  EXPECT_EQ(w.state().lab.next_transfer, entries) << "a refusal leaves nothing behind";
  EXPECT_EQ(SpentBy(w, "alice"), Money::Whole(8));
  EXPECT_EQ(w.Refund(TaskOf(job), Money::Whole(8), "all").reason, Reason::kOk);
}

}  // namespace
}  // namespace pinka::test
