// correct: new entries beside old ones, down to nothing and, for lots, below zero.
#include <gtest/gtest.h>

#include <functional>

#include "scheduler/core/limits.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

// A job on an a100 that ran for 40 minutes: 8.00.
JobId RunForEightYuan(CoreWorld& w) {
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Minutes(50)));  // holds 10.00
  w.Run(job);
  w.Advance(Duration::Minutes(40));
  w.Exit(job, 0);
  return job;
}

TransferId FirstOf(const CoreWorld& w, TransferKind kind) { return w.Transfers(kind).at(0).id; }

TEST(Correct, OfAChargeTakesMoreOfItsLotEvenBelowZero) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 10);
  w.AddNode("box", "a100", 1);
  const JobId job = RunForEightYuan(w);
  const TransferId charge = FirstOf(w, TransferKind::kCharge);
  const TransferRow before = w.store().tables().transfers.at(charge);
  const Reply reply = w.Correct(charge, Money::Whole(5), "c-1");
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(13));
  EXPECT_EQ(w.Available("alice"), -Money::Whole(3));
  EXPECT_EQ(w.store().tables().transfers.at(charge).amount, before.amount) << "it never changes";
  const auto rows = w.Transfers(TransferKind::kCorrect);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].id.value(), reply.first);
  EXPECT_EQ(rows[0].linked, charge);
  EXPECT_EQ(rows[0].debit, before.debit);
  EXPECT_EQ(rows[0].credit, before.credit);
  EXPECT_EQ(rows[0].attempt, w.Attempt(job));
  // That blocks new holds on this lot, and nothing else.
  const JobRequest next = w.Job("a100", Duration::Minutes(5));  // 1.00
  EXPECT_EQ(w.TrySubmit("alice", next).reason, Reason::kBudget);
  w.Deposit("alice", 1);
  EXPECT_EQ(w.StateOf(w.Submit("alice", next)), TaskState::kStarting);
}

TEST(Correct, OfAChargeGivesBackAsARefundDoes) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", Money::Whole(10), w.now + Duration::Days(1));
  w.AddNode("box", "a100", 1);
  w.Limit(LimitResource::kMoney, 100'000'000, "lab", LimitOf::kAll, Period::kMonth);
  RunForEightYuan(w);
  const TransferId charge = FirstOf(w, TransferKind::kCharge);
  const auto used = [&] {
    return UsedOf(w.state(), w.state().limits.rows().begin()->second, w.Member("alice"));
  };
  EXPECT_EQ(w.Correct(charge, -Money::Whole(3), "c-1").reason, Reason::kOk);
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(5));
  EXPECT_EQ(used(), 5'000'000);
  EXPECT_EQ(w.Correct(charge, Money::Whole(1), "c-2").reason, Reason::kOk);
  EXPECT_EQ(used(), 6'000'000);
  w.Advance(Duration::Days(2));  // the lot has ended
  EXPECT_EQ(w.Correct(charge, Money::Whole(1), "c-3").reason, Reason::kConflict);
  EXPECT_EQ(w.Correct(charge, -Money::Whole(2), "c-4").reason, Reason::kOk);
  const LotRow fresh = w.store().tables().lots.rbegin()->second;
  EXPECT_EQ(fresh.credited, Money::Whole(2));
  EXPECT_EQ(fresh.ends_at, w.now + Duration::Days(30));
  EXPECT_EQ(w.Transfers(TransferKind::kRefund).size(), 0u);
}

TEST(Correct, TogetherNeverTurnsAnEntryBelowZero) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  RunForEightYuan(w);
  const TransferId charge = FirstOf(w, TransferKind::kCharge);
  EXPECT_EQ(w.Refund(charge, Money::Whole(2), "r-1").reason, Reason::kOk);    // 6.00 is left
  EXPECT_EQ(w.Correct(charge, -Money::Whole(5), "c-1").reason, Reason::kOk);  // 1.00
  EXPECT_EQ(w.Correct(charge, -Money::Whole(2), "c-2").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Refund(charge, Money::Whole(2), "r-2").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Correct(charge, Money::Whole(1), "c-3").reason, Reason::kOk);  // 2.00
  w.Reload();
  EXPECT_EQ(w.Refund(charge, Money::Whole(2), "r-3").reason, Reason::kOk);  // nothing
  EXPECT_EQ(w.Correct(charge, -Money::Micros(1), "c-4").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Lot(lot).posted, Money());
}

TEST(Correct, OfADepositFillsOrEmptiesItsLot) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", Money::Whole(20), w.now + Duration::Days(2));
  w.AddNode("box", "a100", 1);
  const TransferId deposit = FirstOf(w, TransferKind::kDeposit);
  EXPECT_EQ(w.Correct(deposit, Money::Whole(4), "c-1").reason, Reason::kOk);
  EXPECT_EQ(w.Lot(lot).credited, Money::Whole(24));
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(1)));  // holds 12.00
  w.Run(job);
  EXPECT_EQ(w.Correct(deposit, -Money::Whole(20), "c-2").reason, Reason::kOk);
  EXPECT_EQ(w.Available("alice"), -Money::Whole(8)) << "the hold stands";
  EXPECT_EQ(w.Correct(deposit, -Money::Whole(5), "c-3").reason, Reason::kInsufficient);
  EXPECT_EQ(w.StateOf(job), TaskState::kRunning);
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0);  // 6.00
  EXPECT_EQ(w.Available("alice"), -Money::Whole(2));
  w.Advance(Duration::Days(3));
  EXPECT_TRUE(w.Lot(lot).lapsed);
  EXPECT_EQ(w.Lot(lot).credited - w.Lot(lot).posted, -Money::Whole(2)) << "nothing lapses of it";
  EXPECT_TRUE(w.Transfers(TransferKind::kLapse).empty());
  EXPECT_EQ(w.Correct(deposit, Money::Whole(2), "c-4").reason, Reason::kConflict);
}

TEST(Correct, OfOverheadIsTheLabs) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 20);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(1)));
  w.Run(job);
  w.Advance(Duration::Minutes(10));
  w.End(job, EndReason::kDiskFull);
  const TransferId overhead = FirstOf(w, TransferKind::kOverhead);
  const TransferRow of = w.store().tables().transfers.at(overhead);
  EXPECT_EQ(w.Correct(overhead, -Money::Whole(2), "c-1").reason, Reason::kOk);
  EXPECT_EQ(w.Correct(overhead, -Money::Micros(1), "c-2").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Correct(overhead, Money::Whole(1), "c-3").reason, Reason::kOk);
  const auto rows = w.Transfers(TransferKind::kCorrect);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].debit, of.credit);
  EXPECT_EQ(rows[0].credit, of.debit);
  EXPECT_EQ(rows[1].debit, of.debit);
  EXPECT_EQ(rows[0].payer, OwnedByLab());
  EXPECT_EQ(w.Lot(lot).posted, Money());
  EXPECT_TRUE(w.store().tables().spend.empty() ||
              w.store().tables().spend.begin()->second.charged == Money());
}

TEST(Correct, OfARefundChangesWhatIsLeftOfItsCharge) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  RunForEightYuan(w);
  const TransferId charge = FirstOf(w, TransferKind::kCharge);
  w.Refund(charge, Money::Whole(4), "r-1");
  const TransferId refund = FirstOf(w, TransferKind::kRefund);
  EXPECT_EQ(w.Correct(refund, -Money::Whole(3), "c-1").reason, Reason::kOk);  // 1.00 given back
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(7));
  EXPECT_EQ(w.Correct(refund, -Money::Whole(2), "c-2").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Correct(refund, Money::Whole(8), "c-2").reason, Reason::kInsufficient)
      << "7.00 is left of the charge";
  w.Reload();
  EXPECT_EQ(w.Correct(refund, Money::Whole(5), "c-2").reason, Reason::kOk);  // 6.00
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(2));
  EXPECT_EQ(w.Refund(charge, Money::Whole(3), "r-2").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Refund(charge, Money::Whole(2), "r-2").reason, Reason::kOk);
}

TEST(Correct, OfARefundIntoANewLotStaysThere) {
  CoreWorld w;
  const LotId old = w.Deposit("alice", Money::Whole(10), w.now + Duration::Days(1));
  w.AddNode("box", "a100", 1);
  RunForEightYuan(w);
  w.Advance(Duration::Days(2));
  w.Refund(FirstOf(w, TransferKind::kCharge), Money::Whole(4), "r-1");
  const TransferId refund = FirstOf(w, TransferKind::kRefund);
  const LotId fresh = w.store().tables().lots.rbegin()->first;
  EXPECT_EQ(w.Correct(refund, -Money::Whole(1), "c-1").reason, Reason::kOk);
  EXPECT_EQ(w.Lot(fresh).credited, Money::Whole(3));
  EXPECT_EQ(w.Correct(refund, Money::Whole(2), "c-2").reason, Reason::kOk);
  EXPECT_EQ(w.Lot(fresh).credited, Money::Whole(5));
  EXPECT_EQ(w.Lot(old).posted, Money::Whole(8));
  w.Advance(Duration::Days(31));
  EXPECT_EQ(w.Correct(refund, -Money::Whole(1), "c-3").reason, Reason::kConflict);
}

TEST(Correct, IsBookedOnceForEver) {
  CoreWorld w;
  w.Deposit("alice", 10);
  const TransferId deposit = FirstOf(w, TransferKind::kDeposit);
  const Reply first = w.Correct(deposit, -Money::Whole(10), "c-1");
  w.Advance(Duration::Days(40));
  const Reply again = w.Correct(deposit, -Money::Whole(10), "c-1");
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(w.Correct(deposit, -Money::Whole(9), "c-1").reason, Reason::kConflict);
  EXPECT_EQ(w.Available("alice"), Money());
}

TEST(Correct, RefusesInOrder) {
  CoreWorld w;
  w.Deposit("alice", 10);
  const TransferId deposit = FirstOf(w, TransferKind::kDeposit);
  w.Transfer("alice", "bob", Money::Whole(1), "t-1");
  w.Correct(deposit, Money::Whole(1), "c-1");
  const TransferId moved = FirstOf(w, TransferKind::kTransfer);
  const TransferId correction = FirstOf(w, TransferKind::kCorrect);
  const int64_t entries = w.state().lab.next_transfer;
  const pinka::Correct good{w.Admin(),       {"c", "h"}, deposit,
                            Money::Whole(1), "why",      w.store().EntryNamed(deposit)};
  const auto name = [&](pinka::Correct& c, TransferId id) {
    c.entry = id;
    c.entries = w.store().EntryNamed(id);
  };
  struct {
    std::function<void(pinka::Correct&)> spoil;
    Reason reason;
  } table[] = {
      {[&](auto& c) { c.actor = w.By("alice"); }, Reason::kNotPermitted},
      {[](auto& c) { c.amount = Money(); }, Reason::kBadRequest},
      {[](auto& c) { c.reason.clear(); }, Reason::kBadRequest},
      {[](auto& c) { c.request = {}; }, Reason::kBadRequest},
      {[&](auto& c) { name(c, TransferId(999)); }, Reason::kNoSuchEntry},
      {[&](auto& c) { name(c, moved); }, Reason::kBadRequest},
      {[&](auto& c) { name(c, correction); }, Reason::kBadRequest},
      {[](auto& c) { c.amount = Money::Micros(INT64_MAX); }, Reason::kBadRequest},
      {[](auto& c) { c.amount = -Money::Micros(11'000'001); }, Reason::kInsufficient},
  };
  for (const auto& row : table) {
    pinka::Correct command = good;
    row.spoil(command);
    const Reply reply = w.Do(command);
    EXPECT_EQ(reply.reason, row.reason) << reply.detail;
    EXPECT_FALSE(reply.detail.empty());
  }
  EXPECT_EQ(w.state().lab.next_transfer, entries) << "a refusal leaves nothing behind";
  EXPECT_EQ(w.Available("alice"), Money::Whole(10));
}

}  // namespace
}  // namespace pinka::test
