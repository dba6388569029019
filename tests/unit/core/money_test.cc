// deposit.cc, withdraw.cc, and what they share: money.cc.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Deposit, OpensALotOnceHoweverOftenItIsAsked) {
  CoreWorld w;
  pinka::Deposit command;
  command.actor = w.Admin();
  command.request = {"top-up", "hash"};
  command.to = OwnedBy(w.Member("alice"));
  command.from = w.Member("bob");
  command.amount = Money::Whole(10);
  const Reply first = w.Do(command);
  w.Advance(Duration::Days(40));  // keys of money stand for ever
  const Reply again = w.Do(command);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(w.Available("alice"), Money::Whole(10));
  command.request.hash = "other";
  EXPECT_EQ(w.Do(command).reason, Reason::kConflict);
  const auto rows = w.Transfers(TransferKind::kDeposit);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(w.store().tables().accounts.at(rows[0].debit).kind, AccountKind::kPaidIn);
}

TEST(Deposit, RefusesInOrder) {
  CoreWorld w;
  pinka::Deposit good;
  good.actor = w.Admin();
  good.to = OwnedBy(w.Member("alice"));
  good.amount = Money::Whole(1);
  struct {
    std::function<void(pinka::Deposit&)> spoil;
    Reason reason;
  } table[] = {
      {[&](auto& c) { c.actor = w.By("alice"); }, Reason::kNotPermitted},
      {[](auto& c) { c.to = OwnedBy(MemberId(999)); }, Reason::kNoSuchAccount},
      {[](auto& c) { c.to = OwnedBy(ProjectId(999)); }, Reason::kNoSuchAccount},
      {[](auto& c) { c.amount = Money(); }, Reason::kBadRequest},
      {[](auto& c) { c.amount = -Money::Whole(1); }, Reason::kBadRequest},
      {[](auto& c) { c.amount = Money::Micros(INT64_MAX); }, Reason::kBadRequest},
      {[&](auto& c) { c.until = w.now; }, Reason::kBadRequest},
      {[](auto& c) { c.from = MemberId(999); }, Reason::kNoSuchMember},
  };
  for (const auto& row : table) {
    pinka::Deposit command = good;
    row.spoil(command);
    const Reply reply = w.Do(command);
    EXPECT_EQ(reply.reason, row.reason);
    EXPECT_FALSE(reply.detail.empty());
  }
  EXPECT_TRUE(w.store().tables().lots.empty()) << "a refusal leaves nothing behind";
}

TEST(Deposit, LetsBlockedWorkStart) {
  CoreWorld w;
  w.AddNode("box", "a100", 2);
  w.Deposit("lab", 12);
  w.Submit("alice", w.Job("a100"));
  const JobId waits = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.StateOf(waits), TaskState::kPending);
  w.Deposit("alice", 12);
  EXPECT_EQ(w.StateOf(waits), TaskState::kStarting);
}

TEST(Withdraw, TakesOnlyWhatIsNotHeld) {
  CoreWorld w;
  w.Deposit("alice", 25);
  w.AddNode("box", "a100", 2);
  w.Submit("alice", w.Job("a100", Duration::Minutes(100)));  // holds 20.00
  const auto take = [&](int64_t yuan, const char* member) {
    return w.Do(Withdraw{w.By(member), {}, OwnedBy(w.Member("alice")), Money::Whole(yuan), "out"});
  };
  const Reply refused = take(10, "admin");
  EXPECT_EQ(refused.reason, Reason::kInsufficient);
  EXPECT_TRUE(refused.detail.starts_with("needs ¥10.00, available ¥5.00")) << refused.detail;
  EXPECT_EQ(take(1, "alice").reason, Reason::kNotPermitted);
  EXPECT_EQ(take(0, "admin").reason, Reason::kBadRequest);
  EXPECT_EQ(take(5, "admin").reason, Reason::kOk);
  EXPECT_EQ(w.Available("alice"), Money());
}

TEST(Withdraw, GoesOverSeveralLotsSoonestEndFirst) {
  CoreWorld w;
  const LotId late = w.Deposit("alice", 3);
  const LotId soon = w.Deposit("alice", Money::Whole(4), w.now + Duration::Days(2));
  const Reply reply =
      w.Do(Withdraw{w.Admin(), {"w", "h"}, OwnedBy(w.Member("alice")), Money::Whole(6), "out"});
  EXPECT_EQ(reply.count, 2);
  EXPECT_EQ(w.Lot(soon).credited, Money());
  EXPECT_EQ(w.Lot(late).credited, Money::Whole(1));
  EXPECT_TRUE(
      w.Do(Withdraw{w.Admin(), {"w", "h"}, OwnedBy(w.Member("alice")), Money::Whole(6), "out"})
          .repeated);
  EXPECT_EQ(w.Available("alice"), Money::Whole(1));
}

}  // namespace
}  // namespace pinka::test
