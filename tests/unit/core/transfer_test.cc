// transfer: own money to another owner, with the end and the tier that it had.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

LotId DepositFor(CoreWorld& w, const std::string& tier, int64_t yuan, Timestamp until) {
  pinka::Deposit command;
  command.actor = w.Admin();
  command.to = OwnedBy(w.Member("alice"));
  command.amount = Money::Whole(yuan);
  command.until = until;
  command.tier = w.Tier(tier);
  return LotId(w.Do(command).first);
}

// What the entry brought, and where.
const LotRow& LotOf(const CoreWorld& w, const TransferRow& row) {
  for (const auto& [id, lot] : w.store().tables().lots) {
    if (lot.account == row.credit) return lot;
  }
  throw std::runtime_error("no lot received it");
}

TEST(Transfer, TakesTheSoonestEndFirstAndKeepsEndAndTier) {
  CoreWorld w;
  const Timestamp thursday = w.now + Duration::Days(1);
  const Timestamp friday = w.now + Duration::Days(2);
  const LotId never = w.Deposit("alice", 10);
  const LotId soon = w.Deposit("alice", Money::Whole(3), friday);
  const LotId tied = DepositFor(w, "a100", 2, thursday);
  w.Advance(Duration::Minutes(5));
  const Reply reply = w.Transfer("alice", "bob", Money::Whole(4), "t-1");
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(reply.count, 2);
  EXPECT_EQ(w.Lot(tied).credited, Money());
  EXPECT_EQ(w.Lot(soon).credited, Money::Whole(1));
  EXPECT_EQ(w.Lot(never).credited, Money::Whole(10));
  const auto rows = w.Transfers(TransferKind::kTransfer);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id.value(), reply.first);
  EXPECT_EQ(rows[0].person, w.Member("admin"));
  const LotRow first = LotOf(w, rows[0]);
  EXPECT_EQ(first.credited, Money::Whole(2));
  EXPECT_EQ(first.owner, OwnedBy(w.Member("bob")));
  EXPECT_EQ(first.ends_at, thursday);
  EXPECT_EQ(first.starts_at, w.now);
  EXPECT_EQ(first.tier, w.Tier("a100"));
  const LotRow second = LotOf(w, rows[1]);
  EXPECT_EQ(second.credited, Money::Whole(2));
  EXPECT_EQ(second.ends_at, friday);
  EXPECT_FALSE(second.tier);
}

TEST(Transfer, MovesNeitherWhatIsHeldNorWhatIsNotThere) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 25);
  w.AddNode("box", "a100", 2);
  w.Submit("alice", w.Job("a100", Duration::Minutes(100)));  // holds 20.00
  const Reply refused = w.Transfer("alice", "bob", Money::Micros(5'000'001), "t-1");
  EXPECT_EQ(refused.reason, Reason::kInsufficient);
  EXPECT_TRUE(refused.detail.starts_with("needs ¥5.00, available ¥5.00")) << refused.detail;
  EXPECT_EQ(w.Lot(lot).credited, Money::Whole(25));
  EXPECT_TRUE(w.Transfers(TransferKind::kTransfer).empty());
  EXPECT_EQ(w.Transfer("alice", "bob", Money::Whole(5), "t-1").reason, Reason::kOk)
      << "a refused verb has not used its request id";
  EXPECT_EQ(w.Available("alice"), Money());
  EXPECT_EQ(w.Available("bob"), Money::Whole(5));
}

TEST(Transfer, IsBookedOnceForEver) {
  CoreWorld w;
  w.Deposit("alice", 10);
  const Reply first = w.Transfer("alice", "bob", Money::Whole(3), "t-1");
  w.Advance(Duration::Days(40));
  w.Reload();
  const Reply again = w.Transfer("alice", "bob", Money::Whole(3), "t-1");
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(w.Transfer("alice", "bob", Money::Whole(4), "t-1").reason, Reason::kConflict);
  EXPECT_EQ(w.Available("bob"), Money::Whole(3));
}

TEST(Transfer, LetsTheReceiversWorkStart) {
  CoreWorld w;
  w.AddNode("box", "a100", 2);
  w.Deposit("alice", 24);
  w.Deposit("bob", 6);
  w.Submit("alice", w.Job("a100", Duration::Hours(1)));  // holds 12.00
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Minutes(90)));
  EXPECT_EQ(w.StateOf(job), TaskState::kPending);
  w.Transfer("bob", "alice", Money::Whole(6), "t-1");
  EXPECT_EQ(w.StateOf(job), TaskState::kStarting);
}

TEST(Transfer, RefusesInOrder) {
  CoreWorld w;
  w.Deposit("alice", 10);
  const int64_t entries = w.state().lab.next_transfer;
  const pinka::Transfer good{w.Admin(),    {"t", "h"},      OwnedBy(w.Member("alice")),
                             OwnedByLab(), Money::Whole(1), "why"};
  struct {
    std::function<void(pinka::Transfer&)> spoil;
    Reason reason;
  } table[] = {
      {[&](auto& c) { c.actor = w.By("alice"); }, Reason::kNotPermitted},
      {[](auto& c) { c.from = OwnedBy(MemberId(999)); }, Reason::kNoSuchAccount},
      {[](auto& c) { c.to = OwnedBy(ProjectId(999)); }, Reason::kNoSuchAccount},
      {[](auto& c) { c.to = c.from; }, Reason::kBadRequest},
      {[](auto& c) { c.amount = Money(); }, Reason::kBadRequest},
      {[](auto& c) { c.amount = -Money::Whole(1); }, Reason::kBadRequest},
      {[](auto& c) { c.reason = std::string(" "); }, Reason::kBadRequest},
      {[](auto& c) { c.request = {}; }, Reason::kBadRequest},
      {[](auto& c) { c.amount = Money::Whole(11); }, Reason::kInsufficient},
      {[](auto& c) { c.amount = Money::Micros(INT64_MAX); }, Reason::kInsufficient},
  };
  for (const auto& row : table) {
    pinka::Transfer command = good;
    row.spoil(command);
    const Reply reply = w.Do(command);
    EXPECT_EQ(reply.reason, row.reason) << reply.detail;
    EXPECT_FALSE(reply.detail.empty());
  }
  EXPECT_EQ(w.state().lab.next_transfer, entries) << "a refusal leaves nothing behind";
  EXPECT_EQ(w.store().tables().lots.size(), 1u);
  EXPECT_EQ(w.Do(good).reason, Reason::kOk);
}

}  // namespace
}  // namespace pinka::test
