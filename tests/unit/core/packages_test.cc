// Packages: what a hold draws, what it costs, what lapses (semantics.md 8 and 9).
#include "scheduler/core/packages.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kHour = 3'600'000;

Money Hours(int64_t n) { return Money::Micros(n * kHour); }

// A job that runs on `hours` of the clock and ends well.
void RunFor(CoreWorld& w, const std::string& member, Duration limit, Duration time) {
  const JobId job = w.Submit(member, w.Job("a100", limit));
  w.Run(job);
  w.Advance(time);
  w.Exit(job, 0);
}

TEST(Package, OfSevenHundredHoursForEightHundredEndsAtEightHundredExactly) {
  CoreWorld w;
  w.AddNode("box", "a100", 7);
  const PackageId id = w.Buy(w.Package("a100", 700, Money::Whole(800), {{"alice", 1}}));
  for (int n = 0; n < 10; ++n) {
    const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(10), 7));
    w.Run(job);
    w.Advance(Duration::Hours(10));
    w.End(job, EndReason::kTimeLimit);
    EXPECT_EQ(w.PackageOf(id).moved.micros(), MulDivRound(800'000'000, (n + 1) * 70, 700));
  }
  EXPECT_EQ(w.PackageOf(id).used_ms, 700 * kHour);
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(800));
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money());
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice", AssetOf(id)), Hours(700));
  w.Advance(Duration::Days(30));
  EXPECT_TRUE(w.PackageOf(id).closed_at);
  EXPECT_TRUE(w.Transfers(TransferKind::kLapse).empty());
}

TEST(Package, HoldsAndSettlesInUnitTimeAndMovesTheCostBesideIt) {
  CoreWorld w;
  w.AddNode("box", "a100", 4);
  const PackageId id = w.Buy(w.Package("a100", 10, Money::Whole(80), {{"alice", 1}, {"bob", 1}}));
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2), 2));
  EXPECT_EQ(w.AttemptOf(job).source, Source::kPackage);
  EXPECT_EQ(w.AttemptOf(job).rate, Rate::MicrosPerUnitHour(8'000'000)) << "for display";
  EXPECT_EQ(w.HoldOf(job).asset, AssetOf(id));
  EXPECT_EQ(w.HoldOf(job).amount, Hours(4));
  EXPECT_EQ(w.PortionLot(id, "alice").held, Hours(4));
  w.Run(job);
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0);
  EXPECT_EQ(w.HoldOf(job).posted, Hours(1));
  EXPECT_EQ(w.PortionLot(id, "alice").posted, Hours(1));
  EXPECT_EQ(w.PortionLot(id, "alice").held, Money());
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(8));
  const auto charges = w.Transfers(TransferKind::kCharge);
  ASSERT_EQ(charges.size(), 2u);
  EXPECT_EQ(charges[0].asset, AssetOf(id));
  EXPECT_EQ(charges[0].unit_ms, kHour);
  EXPECT_EQ(charges[1].asset, kCurrency);
  EXPECT_EQ(charges[1].debit, w.PackageOf(id).inventory);
  EXPECT_EQ(charges[1].unit_ms, 0) << "hours are counted once";
}

TEST(Package, LendsByItsRule) {
  const struct {
    BorrowRule rule;
    int64_t hours;
    int64_t reach;
  } table[] = {{BorrowRule::kNone, 0, 3}, {BorrowRule::kLimit, 2, 5}, {BorrowRule::kFree, 0, 12}};
  for (const auto& row : table) {
    CoreWorld w;
    BuyPackage buy = w.Package("a100", 12, Money::Whole(12),
                               {{"alice", 1}, {"bob", 1}, {"carol", 1}, {"lab", 1}});
    buy.borrow = row.rule;
    buy.borrow_ms = row.hours * kHour;
    const PackageId id = w.Buy(buy);
    EXPECT_EQ(InPackage(w.state(), id, w.Member("alice")), Hours(row.reach));
    EXPECT_EQ(InPackage(w.state(), id, w.Member("王芳")), Money()) << "who has no part has none";
  }
}

TEST(Package, DrawsOnTheOwnPortionThenTheUnallocatedThenTheFullestOther) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  BuyPackage buy =
      w.Package("a100", 12, Money::Whole(12), {{"alice", 1}, {"bob", 1}, {"carol", 1}, {"lab", 1}});
  buy.borrow = BorrowRule::kFree;
  const PackageId id = w.Buy(buy);
  RunFor(w, "bob", Duration::Hours(1), Duration::Hours(1));
  const auto parts = PackageParts(w.state(), id, w.Member("alice"), Hours(10));
  const std::vector<std::pair<LotId, Money>> wanted = {{w.Portion(id, "alice").lot, Hours(3)},
                                                       {w.Portion(id, "lab").lot, Hours(3)},
                                                       {w.Portion(id, "carol").lot, Hours(3)},
                                                       {w.Portion(id, "bob").lot, Hours(1)}};
  EXPECT_EQ(parts, wanted);
  RunFor(w, "alice", Duration::Hours(10), Duration::Hours(8));
  EXPECT_EQ(w.PortionLot(id, "lab").posted, Hours(3));
  EXPECT_EQ(w.PortionLot(id, "carol").posted, Hours(2)) << "lent, and seen on the lender's lot";
  EXPECT_EQ(w.PortionLot(id, "bob").posted, Hours(1));
  EXPECT_EQ(w.Portion(id, "alice").borrowed_ms, 5 * kHour);
  EXPECT_EQ(w.Portion(id, "alice").borrowing_ms, 0);
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(8)) << "who used it spends";
}

TEST(Package, CountsWhatWasBorrowedForEver) {
  CoreWorld w;
  w.AddNode("box", "a100", 2);
  w.Deposit("alice", 500);
  BuyPackage buy = w.Package("a100", 8, Money::Whole(8), {{"alice", 1}, {"bob", 3}});
  buy.borrow = BorrowRule::kLimit;
  buy.borrow_ms = 3 * kHour;
  const PackageId id = w.Buy(buy);
  RunFor(w, "alice", Duration::Hours(4), Duration::Hours(4));  // 2 of alice, 2 of bob
  EXPECT_EQ(w.Portion(id, "alice").borrowed_ms, 2 * kHour);
  EXPECT_EQ(InPackage(w.state(), id, w.Member("alice")), Hours(1));
  const JobId hour = w.Submit("alice", w.Job("a100", Duration::Hours(1)));
  EXPECT_EQ(w.Portion(id, "alice").borrowing_ms, kHour);
  const JobId more = w.Submit("alice", w.Job("a100", Duration::Hours(1)));
  EXPECT_EQ(w.AttemptOf(hour).source, Source::kPackage);
  EXPECT_EQ(w.AttemptOf(more).source, Source::kOnDemand) << "no more may be borrowed";
}

TEST(Package, IsDrawnOnlyWhereTheWorkEndsWithinIt) {
  CoreWorld w;
  w.AddNode("box", "a100", 4);
  w.Deposit("alice", 500);
  BuyPackage late = w.Package("a100", 50, Money::Whole(50), {{"alice", 1}});
  BuyPackage soon = late;
  soon.ends_at = w.now + Duration::Hours(10);
  BuyPackage coming = late;
  coming.starts_at = w.now + Duration::Hours(1);
  const PackageId b = w.Buy(late);
  const PackageId a = w.Buy(soon);
  const PackageId c = w.Buy(coming);
  EXPECT_EQ(PackagesInReach(w.state(), w.Member("alice"), w.Tier("a100"), Duration::Hours(10)),
            (std::vector<PackageId>{a, b}));
  EXPECT_EQ(PackagesInReach(w.state(), w.Member("alice"), w.Tier("a100"), Duration::Minutes(601)),
            (std::vector<PackageId>{b}));
  EXPECT_TRUE(
      PackagesInReach(w.state(), w.Member("alice"), w.Tier("t4"), Duration::Hours(1)).empty());
  w.Advance(Duration::Hours(1));
  EXPECT_EQ(PackagesInReach(w.state(), w.Member("alice"), w.Tier("a100"), Duration::Hours(1)),
            (std::vector<PackageId>{a, b, c}));
}

TEST(Package, LapsesAtItsEndToOwnersOrToOverhead) {
  for (const LapseTo to : {LapseTo::kOwner, LapseTo::kOverhead}) {
    CoreWorld w;
    w.AddNode("box", "a100", 1);
    BuyPackage buy =
        w.Package("a100", 9, Money::Whole(100), {{"alice", 1}, {"bob", 1}, {"lab", 1}});
    buy.lapse_to = to;
    const PackageId id = w.Buy(buy);
    RunFor(w, "alice", Duration::Hours(2), Duration::Hours(2));
    w.Advance(Duration::Days(60));
    const PackageRow& package = w.PackageOf(id);
    EXPECT_EQ(package.closed_at, package.ends_at) << "at its end, not when somebody looked";
    EXPECT_EQ(package.moved, Money::Micros(22'222'222));
    EXPECT_EQ(package.lapsed, Money::Micros(77'777'778));
    EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money());
    const Money alice = w.Portion(id, "alice").lapsed;
    const Money bob = w.Portion(id, "bob").lapsed;
    const Money lab = w.Portion(id, "lab").lapsed;
    EXPECT_EQ(alice, Money::Micros(11'111'111));
    EXPECT_EQ(alice + bob + lab, package.lapsed);
    const bool owner = to == LapseTo::kOwner;
    EXPECT_EQ(w.Balance(AccountKind::kLapsed, "alice"), owner ? alice : Money());
    EXPECT_EQ(w.Balance(AccountKind::kOverheadLapsed, "lab"), owner ? lab : package.lapsed);
    EXPECT_EQ(w.Balance(AccountKind::kLapsed, "bob", AssetOf(id)), Hours(3));
  }
}

TEST(Package, WhoseLastHoldOutlivesItClosesWithThatHold) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  BuyPackage buy = w.Package("a100", 4, Money::Whole(8), {{"alice", 1}, {"bob", 1}});
  buy.ends_at = w.now + Duration::Hours(2);
  const PackageId id = w.Buy(buy);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  w.Advance(Duration::Minutes(20));  // staging
  w.Run(job);
  w.Advance(Duration::Hours(2));
  EXPECT_FALSE(w.PackageOf(id).closed_at);
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money::Whole(8));
  w.End(job, EndReason::kTimeLimit);
  EXPECT_EQ(w.PackageOf(id).closed_at, w.now);
  EXPECT_EQ(w.PackageOf(id).moved, Money::Whole(4));
  EXPECT_EQ(w.Portion(id, "bob").lapsed, Money::Whole(4));
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money());
}

TEST(Package, IsNotPaidByMembersWhereTheLabPays) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  const PackageId id = w.Buy(w.Package("a100", 10, Money::Whole(10), {{"alice", 1}}));
  JobRequest once = w.Job("a100", Duration::Hours(4));
  once.no_requeue = true;
  const JobId job = w.Submit("alice", once);
  w.Run(job);
  w.Advance(Duration::Hours(1));
  w.End(job, EndReason::kNodeRebooted);
  EXPECT_EQ(w.PortionLot(id, "alice").posted, Money());
  EXPECT_EQ(w.PackageOf(id).moved, Money());
  EXPECT_EQ(w.Balance(AccountKind::kOverheadNode, "lab", AssetOf(id)), Hours(1));
  EXPECT_EQ(w.Balance(AccountKind::kOverheadNode, "lab"), Money());
}

TEST(Package, GivesBackHoursAndCostThatAnAccrualTookForTheLab) {
  CoreWorld w(At(2026, 9, 30, 23));
  w.AddNode("box", "a100", 1);
  const PackageId id = w.Buy(w.Package("a100", 10, Money::Whole(10), {{"alice", 1}}));
  JobRequest once = w.Job("a100", Duration::Hours(4));
  once.no_requeue = true;
  const JobId job = w.Submit("alice", once);
  w.Run(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 30));
  w.Do(StoreMeters{{{w.Attempt(job), 90 * 60'000, 0}}});
  EXPECT_EQ(w.PackageOf(id).moved, Money::Whole(1)) << "September's hour";
  for (const TransferRow& row : w.Transfers(TransferKind::kCharge))
    EXPECT_LT(row.at, At(2026, 10, 1));
  w.End(job, EndReason::kNodeRebooted);
  EXPECT_EQ(w.PackageOf(id).moved, Money());
  EXPECT_EQ(w.PackageOf(id).used_ms, 0);
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money());
  EXPECT_EQ(w.PortionLot(id, "alice").posted, Money());
}

TEST(Package, DoesNotCountAgainstLimitsOfMoneyButOfHours) {
  CoreWorld w;
  w.AddNode("box", "a100", 4);
  w.Limit(LimitResource::kMoney, 1, "alice");
  w.Limit(LimitResource::kUnitHours, 3 * kHour, "alice");
  w.Buy(w.Package("a100", 10, Money::Whole(10), {{"alice", 1}}));
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  EXPECT_EQ(w.Running(), 1);
  const JobId second = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  EXPECT_EQ(w.WhyWaits(second), Reason::kBudget) << "3 unit-hours";
  w.Run(job);
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0);
  EXPECT_EQ(w.Running(), 1);
}

TEST(Package, IsNotCorrected) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  w.Buy(w.Package("a100", 10, Money::Whole(10), {{"alice", 1}}));
  RunFor(w, "alice", Duration::Hours(2), Duration::Hours(1));
  for (const TransferRow& row : w.Transfers(TransferKind::kCharge)) {
    const Reply reply = w.Correct(row.id, Money::Micros(1), "c" + ToString(row.attempt));
    EXPECT_EQ(reply.reason, Reason::kBadRequest);
    EXPECT_NE(reply.detail.find("refund` gives hours back"), std::string::npos) << reply.detail;
  }
}

TEST(Package, FormatsHours) {
  EXPECT_EQ(FormatUnitHours(Hours(3)), "3.00 unit-hours");
  EXPECT_EQ(FormatUnitHours(Money::Micros(1)), "less than 0.01 unit-hours");
  EXPECT_EQ(FormatUnitHours(Money()), "0.00 unit-hours");
}

}  // namespace
}  // namespace pinka::test
