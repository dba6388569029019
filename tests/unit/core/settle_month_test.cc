// Settling a closed month: positions of the books, payments once (semantics.md 9).
#include <gtest/gtest.h>

#include "base/split.h"
#include "scheduler/core/positions.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

const Timestamp kStart = At(2026, 9, 1, 12);
const Timestamp kOctober = At(2026, 10, 1);

std::vector<PaymentRow> Payments(const CoreWorld& w) {
  std::vector<PaymentRow> rows;
  for (const auto& [id, row] : w.store().tables().payments) rows.push_back(row);
  return rows;
}

void Use(CoreWorld& w, const std::string& member, const std::string& tier, Duration time,
         int units = 1) {
  const JobId job = w.Submit(member, w.Job(tier, time, units));
  w.Run(job);
  w.Advance(time);
  w.Exit(job, 0);
}

void PutIn(CoreWorld& w, const std::string& member, int64_t yuan) {
  pinka::Deposit deposit;
  deposit.actor = w.Admin();
  deposit.to = OwnedByLab();
  deposit.from = w.Member(member);
  deposit.amount = Money::Whole(yuan);
  ASSERT_EQ(w.Do(deposit).reason, Reason::kOk);
}

// Alice puts 60.00 into the lab, bob 20.00; carol uses 24.00 of it: 18.00 and 6.00.
void Share(CoreWorld& w) {
  PutIn(w, "alice", 60);
  PutIn(w, "bob", 20);
  w.AddNode("box", "a100", 4);
  Use(w, "carol", "a100", Duration::Hours(2));
}

TEST(SettleMonth, ProposesWhatWasUsedOfOthersMoney) {
  CoreWorld w(kStart);
  Share(w);
  w.AdvanceTo(kOctober);
  ASSERT_EQ(w.Close(kStart).count, 1);
  const Reply reply = w.Settle(kStart);
  ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(reply.count, 2);
  const auto rows = Payments(w);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id.value(), reply.first);
  EXPECT_EQ(rows[0].from, w.Member("carol"));
  EXPECT_EQ(rows[0].to, w.Member("alice"));
  EXPECT_EQ(rows[0].amount, Money::Whole(18));
  EXPECT_EQ(rows[1].to, w.Member("bob"));
  EXPECT_EQ(rows[1].amount, Money::Whole(6));
  EXPECT_EQ(w.store().tables().positions.size(), 5u);
}

TEST(SettleMonth, AgainPrintsTheSameAndChangesNothing) {
  CoreWorld w(kStart);
  Share(w);
  w.AdvanceTo(kOctober);
  w.Close(kStart);
  w.Settle(kStart);
  const std::string before = w.core().Digest();
  const Reply again = w.Settle(kStart, Spread::kEqual);
  EXPECT_EQ(again.reason, Reason::kOk);
  EXPECT_EQ(again.note, "2026-09 is settled already; nothing was changed");
  EXPECT_EQ(w.core().Digest(), before);
}

TEST(SettleMonth, AsksNobodyTwiceForWhatWasProposedBefore) {
  CoreWorld w(kStart);
  Share(w);
  w.AdvanceTo(kOctober);
  w.Close(kStart);
  w.Settle(kStart);
  Use(w, "bob", "a100", Duration::Hours(1));
  w.MarkPaid(Payments(w)[0].id);  // the other one is only proposed
  w.AdvanceTo(At(2026, 11, 1));
  ASSERT_EQ(w.Close(kOctober).count, 1);
  ASSERT_EQ(w.Settle(kOctober).reason, Reason::kOk);
  // Of bob's 12.00 three quarters were alice's.
  const auto rows = Payments(w);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].from, w.Member("bob"));
  EXPECT_EQ(rows[2].to, w.Member("alice"));
  EXPECT_EQ(rows[2].amount, Money::Whole(9));
  EXPECT_EQ(w.Settle(kStart).note, "2026-09 is settled already; nothing was changed");
}

TEST(SettleMonth, IsRefused) {
  CoreWorld w(kStart);
  Share(w);
  EXPECT_EQ(w.Settle(kStart).detail,
            "2026-09 is still open; close it first with `pinka admin close --month 2026-09`, or "
            "look at it with --dry-run");
  w.AdvanceTo(At(2026, 11, 1));
  w.Close(kStart);
  w.Close(kOctober);
  SettleMonth command;
  command.actor = w.By("alice");
  command.month = kOctober;
  EXPECT_EQ(w.Do(command).reason, Reason::kNotPermitted);
  command.actor = w.Admin();
  command.positions = w.Positions(kOctober);
  command.positions[0].position += Money::Micros(1);
  const Reply stale = w.Do(command);
  EXPECT_EQ(stale.reason, Reason::kConflict);
  EXPECT_EQ(stale.detail, "something else was settled in between; ask again, nothing was changed");
  EXPECT_EQ(w.Settle(kOctober).count, 2);
  EXPECT_EQ(w.Settle(kStart).detail,
            "2026-09 was settled with 2026-10: positions add up from the first entry on");
}

// Ten people share 1000 hours that one of them bought for 12,000.00.
TEST(SettleMonth, OfTenPeopleWhoShareAThousandHoursTakesAtMostNinePayments) {
  CoreWorld w(kStart);
  std::vector<std::pair<std::string, int64_t>> shares;
  for (int n = 0; n < 10; ++n) {
    const std::string name = "m" + std::to_string(n);
    ASSERT_EQ(w.Do(AddMember{w.Admin(), {}, name, 1, false, ""}).reason, Reason::kOk);
    shares.emplace_back(name, 1);
  }
  w.AddNode("box", "a100", 8);
  BuyPackage buy = w.Package("a100", 1'000, Money::Whole(12'000), shares);
  buy.payer = w.Member("m0");
  buy.borrow = BorrowRule::kFree;
  buy.ends_at = At(2026, 10, 15);
  w.Buy(buy);
  Use(w, "m1", "a100", Duration::Hours(20), 4);  // 80 of the own 100
  Use(w, "m2", "a100", Duration::Hours(30), 5);  // 150: 50 borrowed
  Use(w, "m3", "a100", Duration::Hours(7), 1);
  // Of what m5 put in for everybody m6 is charged 6.00, of which 2.50 come back, and then a third.
  PutIn(w, "m5", 100);
  w.AddNode("small", "t4", 1);
  Use(w, "m6", "t4", Duration::Hours(3));
  const TransferId charge = w.Transfers(TransferKind::kCharge).back().id;
  ASSERT_EQ(w.Refund(charge, Money::Micros(2'500'000), "r-1").reason, Reason::kOk);
  ASSERT_EQ(w.Correct(charge, Money::Micros(333'333), "c-1").reason, Reason::kOk);
  w.AdvanceTo(kOctober);
  ASSERT_EQ(w.Close(kStart).count, 1);
  ASSERT_LE(w.Settle(kStart).count, 9);
  const auto position = [&](Timestamp month, const std::string& name) {
    return w.store().tables().positions.at({w.Month(month).start_at, w.Member(name)});
  };
  EXPECT_EQ(position(kStart, "m1").spent, Money::Whole(960));
  EXPECT_EQ(position(kStart, "m1").carried, Money::Whole(240));
  EXPECT_EQ(position(kStart, "m2").spent, Money::Whole(1'800));
  EXPECT_EQ(position(kStart, "m2").carried, Money());
  EXPECT_EQ(position(kStart, "m2").position, -Money::Whole(1'800));
  EXPECT_EQ(position(kStart, "m9").position, -Money::Whole(1'200));
  EXPECT_EQ(position(kStart, "m5").position, Money::Micros(3'833'333) - Money::Whole(1'200));
  EXPECT_EQ(position(kStart, "m6").position, -Money::Micros(3'833'333) - Money::Whole(1'200));
  for (const PaymentRow& row : Payments(w)) EXPECT_EQ(row.to, w.Member("m0"));

  w.AdvanceTo(At(2026, 11, 1));  // the rest has lapsed
  ASSERT_EQ(w.Close(kOctober).count, 1);
  EXPECT_LE(w.Settle(kOctober).count, 9);
  EXPECT_EQ(position(kOctober, "m1").lapsed, Money::Whole(240));
  EXPECT_EQ(position(kOctober, "m1").carried, Money());
  std::map<MemberId, Money> left;
  for (const auto& [key, row] : w.store().tables().positions) {
    if (key.first == kOctober) left[row.member] = row.position - row.settled;
  }
  for (const PaymentRow& row : Payments(w)) {
    EXPECT_TRUE(IsWholeCents(row.amount));
    left[row.from] += row.amount;
    left[row.to] -= row.amount;
  }
  for (const auto& [member, rest] : left) EXPECT_LT(std::abs(rest.micros()), 10'000);
}

}  // namespace
}  // namespace pinka::test
