// Hours of a package that are given back (semantics.md 8): into their portion while it is open,
// else as money from overhead.
#include "scheduler/core/return_hours.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/packages.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kHour = 3'600'000;

Money Hours(int64_t n) { return Money::Micros(n * kHour); }

AttemptId RunFor(CoreWorld& w, const std::string& member, Duration time,
                 Duration limit = Duration::Hours(5)) {
  const JobId job = w.Submit(member, w.Job("a100", limit));
  w.Run(job);
  w.Advance(time);
  const AttemptId attempt = w.Attempt(job);
  w.Exit(job, 0);
  return attempt;
}

TransferId HoursOf(const CoreWorld& w, size_t n = 0) {
  std::vector<TransferId> ids;
  for (const TransferRow& row : w.Transfers(TransferKind::kCharge)) {
    if (row.asset != kCurrency) ids.push_back(row.id);
  }
  return ids.at(n);
}

TEST(HoursBack, ReturnToTheirPortionAndTheirCostToTheInventory) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  const PackageId id = w.Buy(w.Package("a100", 10, Money::Whole(80), {{"alice", 1}, {"bob", 1}}));
  const AttemptId attempt = RunFor(w, "alice", Duration::Hours(4));
  const Reply reply = w.RefundHours(attempt, 3 * kHour, "r-1");
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(reply.note,
            "3.00 unit-hours went back into the package, with the ¥24.00 that they had cost");
  EXPECT_EQ(reply.count, 2);
  EXPECT_EQ(w.PortionLot(id, "alice").posted, Hours(1));
  EXPECT_EQ(Available(w.PortionLot(id, "alice")), Hours(4)) << "to be used again";
  EXPECT_EQ(w.PackageOf(id).used_ms, kHour);
  EXPECT_EQ(w.PackageOf(id).moved, Money::Whole(8));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(8));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice", AssetOf(id)), Hours(1));
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money::Whole(72));
  const auto rows = w.Transfers(TransferKind::kRefund);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].asset, AssetOf(id));
  EXPECT_EQ(rows[0].linked, HoursOf(w));
  EXPECT_EQ(rows[1].asset, kCurrency);
  EXPECT_EQ(rows[1].linked, HoursOf(w)) << "the charge of the hours names both";
  EXPECT_EQ(rows[1].credit, w.PackageOf(id).inventory);
  EXPECT_EQ(w.store().tables().settlements.at(attempt).charged, Hours(4)) << "as it was then";
  w.Advance(Duration::Days(60));
  EXPECT_EQ(w.Balance(AccountKind::kLapsed, "alice"), Money::Whole(32)) << "four hours, unused";
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money());
}

TEST(HoursBack, InAnyPiecesKeepTheExactFraction) {
  CoreWorld w;
  w.AddNode("box", "a100", 7);
  const PackageId id = w.Buy(w.Package("a100", 700, Money::Whole(800), {{"alice", 1}}));
  for (int n = 0; n < 3; ++n) {
    const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(9), 7));
    w.Run(job);
    w.Advance(Duration::Seconds(4'321));
    w.Exit(job, 0);
  }
  const int64_t charged = w.PackageOf(id).used_ms;
  ASSERT_EQ(charged, int64_t{3} * 7 * 4'321'000);
  int64_t back = 0;
  for (int n = 0; n < 3; ++n) {
    for (const int64_t part :
         {int64_t{1}, int64_t{7'777'777}, int64_t{7 * 4'321'000 - 7'777'778}}) {
      const Reply reply =
          w.RefundHours(HoursOf(w, static_cast<size_t>(n)), part, fmt::format("r {} {}", n, part));
      ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
      back += part;
      EXPECT_EQ(w.PackageOf(id).moved.micros(),
                MulDivRound(800'000'000, charged - back, 700 * kHour));
    }
  }
  EXPECT_EQ(w.PackageOf(id).used_ms, 0);
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money());
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money::Whole(800));
}

TEST(HoursBack, AreTogetherAtMostTheCharge) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  w.Buy(w.Package("a100", 10, Money::Whole(80), {{"alice", 1}}));
  const AttemptId attempt = RunFor(w, "alice", Duration::Hours(2));
  EXPECT_EQ(w.RefundHours(attempt, kHour, "r-1").reason, Reason::kOk);
  EXPECT_TRUE(w.RefundHours(attempt, kHour, "r-1").repeated) << "the first answer for ever";
  EXPECT_EQ(w.RefundHours(attempt, 1, "r-1").reason, Reason::kConflict);
  w.Reload();
  const Reply refused = w.RefundHours(HoursOf(w), kHour + 1, "r-2");
  EXPECT_EQ(refused.reason, Reason::kInsufficient);
  EXPECT_NE(refused.detail.find("1.00 unit-hours is left to give back"), std::string::npos)
      << refused.detail;
  EXPECT_EQ(w.RefundHours(attempt, 0, "r-3").reason, Reason::kOk) << "all that is left";
  EXPECT_EQ(w.RefundHours(attempt, 0, "r-4").reason, Reason::kInsufficient);
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money());
}

TEST(HoursBack, OfABorrowerGoToWhoLentThem) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  BuyPackage buy = w.Package("a100", 8, Money::Whole(8), {{"alice", 1}, {"bob", 3}});
  buy.borrow = BorrowRule::kLimit;
  buy.borrow_ms = 3 * kHour;
  const PackageId id = w.Buy(buy);
  const AttemptId attempt = RunFor(w, "alice", Duration::Hours(4));  // 2 of alice, 2 of bob
  ASSERT_EQ(w.Portion(id, "alice").borrowed_ms, 2 * kHour);
  EXPECT_EQ(w.RefundHours(attempt, 3 * kHour, "r").reason, Reason::kOk) << "the last line first";
  EXPECT_EQ(w.Portion(id, "alice").borrowed_ms, 0);
  EXPECT_EQ(w.PortionLot(id, "bob").posted, Money());
  EXPECT_EQ(w.PortionLot(id, "alice").posted, Hours(1));
  EXPECT_EQ(InPackage(w.state(), id, w.Member("alice")), Hours(4)) << "may borrow three again";
}

TEST(HoursBack, AfterTheEndAreMoneyFromOverhead) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  BuyPackage buy = w.Package("a100", 7, Money::Whole(100), {{"alice", 1}, {"bob", 1}});
  buy.payer = w.Member("bob");
  const PackageId id = w.Buy(buy);
  const AttemptId attempt =
      RunFor(w, "alice", Duration::Hours(3), Duration::Minutes(200));  // of her 3.5 hours
  const Money cost = w.Balance(AccountKind::kSpent, "alice");
  EXPECT_EQ(cost, Money::Micros(42'857'143));
  EXPECT_EQ(w.RefundHours(attempt, kHour, "r-1").reason, Reason::kOk) << "while it was open";
  w.Advance(Duration::Days(60));
  ASSERT_TRUE(w.PackageOf(id).closed_at);
  const PackageRow closed = w.PackageOf(id);
  Money sum;
  for (const int64_t part : {int64_t{1'000'000}, 2 * kHour - 1'000'000}) {
    const Reply reply = w.RefundHours(attempt, part, fmt::format("r {}", part));
    ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
    EXPECT_NE(reply.note.find("is the lab's overhead now"), std::string::npos) << reply.note;
    w.Reload();
  }
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money()) << "all came back, to the micro-unit";
  EXPECT_EQ(w.Balance(AccountKind::kOverheadOther, "lab"), Money::Micros(28'571'429));
  EXPECT_EQ(w.Balance(AccountKind::kOverheadOther, "lab", AssetOf(id)), Hours(2));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice", AssetOf(id)), Money());
  EXPECT_EQ(w.PackageOf(id), closed) << "what has ended stays as it was";
  EXPECT_EQ(w.RefundHours(attempt, 0, "r-9").reason, Reason::kInsufficient);
}

TEST(HoursBack, AreBorneByAllWhereThePackageHasEnded) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  BuyPackage buy = w.Package("a100", 4, Money::Whole(80), {{"alice", 1}, {"bob", 1}});
  buy.payer = w.Member("bob");
  buy.ends_at = w.now + Duration::Hours(6);
  w.Buy(buy);
  const AttemptId attempt = RunFor(w, "alice", Duration::Hours(2), Duration::Hours(2));
  w.Advance(Duration::Hours(6));
  const auto position = [&](const std::string& member) {
    for (const PositionRow& row : w.Positions(w.now, Spread::kEqual)) {
      if (row.member == w.Member(member)) return row;
    }
    return PositionRow();
  };
  EXPECT_EQ(position("alice").position, -Money::Whole(40));
  EXPECT_EQ(position("bob").position, Money::Whole(40)) << "80 paid, 40 of his own lapsed";
  EXPECT_EQ(w.RefundHours(attempt, kHour, "r").reason, Reason::kOk);
  const auto people = static_cast<int64_t>(w.Positions(w.now, Spread::kEqual).size());
  EXPECT_EQ(position("alice").spent, Money::Whole(20));
  EXPECT_EQ(position("alice").overhead, Money::Whole(20 / people)) << "as everybody's";
  EXPECT_EQ(position("bob").overhead, Money::Whole(20 / people));
}

TEST(HoursBack, AreNotCountedAsNeverUsed) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  const LimitId limit = w.Limit(LimitResource::kUnitHours, 9 * kHour, "lab", LimitOf::kEach);
  w.Buy(w.Package("a100", 10, Money::Whole(80), {{"alice", 1}}));
  const AttemptId attempt = RunFor(w, "alice", Duration::Hours(2));
  const int64_t used = UsedOf(w.state(), w.state().limits.Get(limit), w.Member("alice"));
  const auto usage = w.state().usage.Get({w.Member("alice"), {}});
  EXPECT_EQ(w.RefundHours(attempt, kHour, "r").reason, Reason::kOk);
  EXPECT_EQ(UsedOf(w.state(), w.state().limits.Get(limit), w.Member("alice")), used);
  EXPECT_EQ(w.state().usage.Get({w.Member("alice"), {}}), usage) << "the machine was used";
}

TEST(HoursBack, LetBlockedWorkStart) {
  CoreWorld w;
  w.AddNode("box", "a100", 2);
  w.Buy(w.Package("a100", 4, Money::Whole(8), {{"alice", 1}}));
  const AttemptId attempt = RunFor(w, "alice", Duration::Hours(3), Duration::Hours(4));
  JobRequest request = w.Job("a100", Duration::Hours(2));
  request.source = Wish::kPackage;
  w.Deposit("alice", 1);
  const Reply never = w.TrySubmit("alice", request);
  EXPECT_EQ(never.reason, Reason::kPackagePortion) << "one hour is left";
  EXPECT_EQ(w.RefundHours(attempt, kHour, "r").reason, Reason::kOk);
  EXPECT_EQ(w.StateOf(w.Submit("alice", request)), TaskState::kStarting);
}

TEST(HoursBack, OfATaskThatWasPaidInBothComeBackInBoth) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  w.Deposit("alice", 30);
  const PackageId id = w.Buy(w.Package("a100", 1, Money::Whole(8), {{"alice", 1}}));
  JobRequest request = w.Job("a100", Duration::Hours(1));
  request.retries = 1;
  const JobId job = w.Submit("alice", request);
  w.Run(job);
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 3);
  w.Run(job);  // half an hour is left of the package: money
  ASSERT_EQ(w.AttemptOf(job).source, Source::kOnDemand);
  w.Advance(Duration::Minutes(10));
  w.Exit(job, 0);
  const AttemptId task{job, 0, 0};
  EXPECT_EQ(w.Refund(task, Money::Whole(2), "r-1").reason, Reason::kOk) << "of the money";
  EXPECT_EQ(w.Refund(task, Money::Micros(1), "r-2").reason, Reason::kInsufficient);
  EXPECT_EQ(w.RefundHours(task, kHour / 4, "r-3").reason, Reason::kOk);
  EXPECT_EQ(w.PackageOf(id).used_ms, kHour / 4);
  EXPECT_EQ(w.RefundHours(task, 0, "r-4").reason, Reason::kOk);
  EXPECT_EQ(w.PackageOf(id).used_ms, 0);
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money());
}

TEST(HoursBack, AreRefusedInWords) {
  CoreWorld w;
  w.AddNode("box", "a100", 2);
  w.Deposit("alice", 30);
  w.Buy(w.Package("a100", 2, Money::Whole(8), {{"alice", 1}}));
  const AttemptId hours = RunFor(w, "alice", Duration::Hours(1), Duration::Hours(2));
  const AttemptId money = RunFor(w, "alice", Duration::Minutes(5), Duration::Hours(2));
  const int64_t entries = w.state().lab.next_transfer;
  const TransferId cost(HoursOf(w).value() + 1);
  const auto says = [](const Reply& reply, Reason reason, std::string_view text) {
    EXPECT_EQ(reply.reason, reason) << reply.detail;
    EXPECT_NE(reply.detail.find(text), std::string::npos) << reply.detail;
  };
  says(w.Refund(hours, Money::Whole(1), "r"), Reason::kBadRequest, "say how many come back");
  says(w.RefundHours(money, kHour, "r"), Reason::kBadRequest, "say how much comes back");
  says(w.Refund(cost, Money::Whole(1), "r"), Reason::kBadRequest,
       fmt::format("entry {}, as in", cost.value() - 1));
  says(w.RefundHours(cost, kHour, "r"), Reason::kBadRequest, "the hours themselves");
  says(w.RefundHours(hours, -1, "r"), Reason::kBadRequest, "more than 0");
  pinka::Refund both{
      w.Admin(), {"r", "h"}, {}, "x", Money::Whole(1), "why", w.store().ChargesOf(hours), kHour};
  says(w.Do(both), Reason::kBadRequest, "only one of them");
  EXPECT_EQ(w.state().lab.next_transfer, entries) << "a refusal leaves nothing behind";
}

}  // namespace
}  // namespace pinka::test
