// withdraw: money leaves the lab to whom it came from.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

Money PositionOf(const CoreWorld& w, const std::string& member) {
  for (const PositionRow& row : w.Positions(w.now)) {
    if (row.member == w.Member(member)) return row.position;
  }
  return Money();
}

TEST(WithdrawnMoney, GoesBackToWhoHadPaidItIn) {
  CoreWorld w;
  w.PayIn("alice", "lab", Money::Whole(30));
  w.PayIn("bob", "lab", Money::Whole(20));
  w.Deposit("lab", 10);
  const Reply reply = w.Withdraw("lab", Money::Whole(55), "w-1");
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(
      reply.note,
      "¥5.00 to the outside, ¥30.00 to alice, who had paid it in, ¥20.00 to bob, who had paid "
      "it in");
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "alice"), Money()) << "30.00 in and out";
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "bob"), Money());
  EXPECT_EQ(w.Balance(AccountKind::kExternal, "lab"), -Money::Whole(5));
  for (const char* member : {"alice", "bob"}) EXPECT_EQ(PositionOf(w, member), Money()) << member;
}

TEST(WithdrawnMoney, IsWhoseItWasWhereverItHasMoved) {
  CoreWorld w;
  w.PayIn("alice", "lab", Money::Whole(30));
  EXPECT_EQ(w.Transfer("lab", "bob", Money::Whole(12), "t-1").reason, Reason::kOk);
  w.Reload();
  EXPECT_EQ(w.Withdraw("bob", Money::Whole(12), "w-1").reason, Reason::kOk);
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "alice"), -Money::Whole(18));
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "bob"), Money()) << "bob has paid in nothing";
  EXPECT_EQ(PositionOf(w, "alice"), Money());
}

TEST(WithdrawnMoney, OfALotThatStandsForAnEndedOneToo) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  pinka::Deposit deposit;
  deposit.actor = w.Admin();
  deposit.to = OwnedBy(w.Member("bob"));
  deposit.from = w.Member("alice");
  deposit.amount = Money::Whole(20);
  deposit.until = w.now + Duration::Days(1);
  w.Do(deposit);
  const JobId job = w.Submit("bob", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Minutes(30));
  const AttemptId attempt = w.Attempt(job);
  w.Exit(job, 0);
  w.Advance(Duration::Days(2));
  EXPECT_EQ(w.Refund(attempt, Money::Whole(6), "r").reason, Reason::kOk) << "a new lot";
  EXPECT_EQ(w.Withdraw("bob", Money::Whole(6), "w").reason, Reason::kOk);
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "alice"), -Money::Whole(14));
}

TEST(WithdrawnMoney, OfCommonMoneyIsTheOwnPartFirst) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  w.PayIn("alice", "lab", Money::Whole(20));
  w.PayIn("bob", "lab", Money::Whole(20));
  const JobId job = w.Submit("carol", w.Job("a100"));  // both fund it
  w.Run(job);
  w.Advance(Duration::Hours(1));
  w.Exit(job, 0);
  EXPECT_EQ(w.Withdraw("lab", Money::Whole(8), "w").reason, Reason::kOk);
  // Of alice's lot 8.00 are left after carol's 12.00: they are hers, not half of them bob's.
  EXPECT_EQ(PositionOf(w, "alice"), Money::Whole(6));
  EXPECT_EQ(PositionOf(w, "bob"), Money::Whole(6));
  EXPECT_EQ(PositionOf(w, "carol"), -Money::Whole(12));
}

}  // namespace
}  // namespace pinka::test
