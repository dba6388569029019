// package buy: buy_package.cc. C32: a cost split between several payers adds up.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kHour = 3'600'000;

TEST(BuyPackage, SplitsThePriceInCentsAndTheHoursInUnitMilliseconds) {
  CoreWorld w;
  BuyPackage buy =
      w.Package("a100", 1'000, Money::Whole(100), {{"carol", 1}, {"alice", 1}, {"bob", 1}});
  buy.payer = w.Member("bob");
  const PackageId id = w.Buy(buy);
  EXPECT_EQ(w.Portion(id, "alice").cost, Money::Micros(33'340'000)) << "ties by member id";
  EXPECT_EQ(w.Portion(id, "bob").cost, Money::Micros(33'330'000));
  EXPECT_EQ(w.Portion(id, "carol").cost, Money::Micros(33'330'000));
  EXPECT_EQ(w.Portion(id, "alice").total_ms, 1'200'000'000);
  EXPECT_EQ(w.PortionLot(id, "bob").credited, Money::Micros(1'200'000'000));
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "bob"), -Money::Whole(100));
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money::Whole(100));
  EXPECT_EQ(w.Balance(AccountKind::kExternal, "lab", AssetId(id.value())),
            -Money::Micros(1'000 * kHour));
  EXPECT_EQ(w.Available("alice"), Money()) << "hours are no money";
}

TEST(BuyPackage, GivesPartsThatSumToTheWhole) {
  const struct {
    int64_t cents;
    std::vector<int64_t> shares;
    std::vector<int64_t> costs;
  } table[] = {
      {1, {1, 1, 1}, {1, 0, 0}},
      {10'00, {1, 2, 4}, {1'43, 2'86, 5'71}},
      {100'00, {333'000, 333'000, 334'000}, {33'30, 33'30, 33'40}},
      {100'00, {1, 0, 1}, {50'00, 0, 50'00}},
  };
  for (const auto& row : table) {
    CoreWorld w;
    BuyPackage buy =
        w.Package("a100", 700, Money::Micros(row.cents * 10'000),
                  {{"alice", row.shares[0]}, {"bob", row.shares[1]}, {"carol", row.shares[2]}});
    const PackageId id = w.Buy(buy);
    const char* names[] = {"alice", "bob", "carol"};
    int64_t hours = 0;
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(w.Portion(id, names[i]).cost.micros(), row.costs[i] * 10'000) << names[i];
      hours += w.Portion(id, names[i]).total_ms;
    }
    EXPECT_EQ(hours, 700 * kHour);
  }
}

TEST(BuyPackage, OfAMachineForAPeriodDerivesItsHours) {
  CoreWorld w;
  BuyPackage buy = w.Package("a100", 0, Money::Whole(900), {{"alice", 1}, {"lab", 1}});
  buy.kind = PackageKind::kCapacity;
  buy.units = 2;
  buy.starts_at = w.now + Duration::Days(10);
  const PackageId id = w.Buy(buy);
  EXPECT_EQ(w.PackageOf(id).total_ms, int64_t{2} * 20 * 24 * kHour);
  EXPECT_EQ(w.Portion(id, "lab").total_ms, int64_t{20} * 24 * kHour) << "nobody was given these";
  EXPECT_EQ(w.PortionLot(id, "lab").owner, OwnedByLab());
  buy.total_ms = 1'000 * kHour;
  EXPECT_EQ(w.Do(buy).reason, Reason::kBadRequest) << "the hours are said, and wrong";
}

TEST(BuyPackage, IsDoneOnceHoweverOftenItIsAsked) {
  CoreWorld w;
  BuyPackage buy = w.Package("a100", 10, Money::Whole(10), {{"alice", 1}, {"bob", 2}});
  buy.request = {"autumn", "hash"};
  const Reply first = w.Do(buy);
  EXPECT_EQ(first.count, 3);
  w.Advance(Duration::Days(40));
  const Reply again = w.Do(buy);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(w.Transfers(TransferKind::kPurchase).size(), 3u);
  buy.request.hash = std::string("other");
  EXPECT_EQ(w.Do(buy).reason, Reason::kConflict);
  for (const TransferRow& row : w.Transfers(TransferKind::kPurchase)) {
    EXPECT_EQ(row.person, w.Member("admin"));
    EXPECT_EQ(row.request_id, "autumn");
    EXPECT_EQ(row.reason, "together");
  }
}

TEST(BuyPackage, RefusesInOrderAndLeavesNothingBehind) {
  CoreWorld w;
  const BuyPackage good = w.Package("a100", 10, Money::Whole(10), {{"alice", 1}, {"bob", 2}});
  const struct {
    std::function<void(BuyPackage&)> spoil;
    Reason reason;
  } table[] = {
      {[&](auto& c) { c.actor = w.By("alice"); }, Reason::kNotPermitted},
      {[](auto& c) { c.tier = TierId(999); }, Reason::kNoSuchTier},
      {[&](auto& c) { c.ends_at = w.now; }, Reason::kBadRequest},
      {[](auto& c) { c.starts_at = c.ends_at; }, Reason::kBadRequest},
      {[](auto& c) { c.shares[0].member = MemberId(999); }, Reason::kNoSuchMember},
      {[](auto& c) { c.shares[0].member = c.shares[1].member; }, Reason::kBadRequest},
      {[](auto& c) { c.shares[0].share = -1; }, Reason::kBadRequest},
      {[](auto& c) { c.split = SplitRule::kEqual; }, Reason::kBadRequest},
      {[](auto& c) { c.shares.clear(); }, Reason::kBadRequest},
      {[](auto& c) {
         c.shares = {{MemberId(), 1}};
       },
       Reason::kBadRequest},
      {[](auto& c) { c.shares[0].share = c.shares[1].share = 0; }, Reason::kBadRequest},
      {[](auto& c) { c.payer = MemberId(999); }, Reason::kNoSuchMember},
      {[](auto& c) { c.total_ms = 0; }, Reason::kBadRequest},
      {[](auto& c) { c.total_ms = INT64_MAX; }, Reason::kBadRequest},
      {[](auto& c) { c.units = 1; }, Reason::kBadRequest},
      {[](auto& c) { c.kind = PackageKind::kCapacity; }, Reason::kBadRequest},
      {[](auto& c) { c.price = Money(); }, Reason::kBadRequest},
      {[](auto& c) { c.price = Money::Micros(10'001); }, Reason::kBadRequest},
      {[](auto& c) { c.price = Money::Micros(INT64_MAX); }, Reason::kBadRequest},
      {[](auto& c) { c.borrow = BorrowRule::kLimit; }, Reason::kBadRequest},
      {[](auto& c) { c.borrow_ms = 5; }, Reason::kBadRequest},
      {[](auto& c) { c.reason.clear(); }, Reason::kBadRequest},
  };
  for (size_t i = 0; i < std::size(table); ++i) {
    BuyPackage command = good;
    table[i].spoil(command);
    const Reply reply = w.Do(command);
    EXPECT_EQ(reply.reason, table[i].reason) << i << " " << reply.detail;
    EXPECT_FALSE(reply.detail.empty());
  }
  EXPECT_TRUE(w.store().tables().packages.empty());
  EXPECT_TRUE(w.store().tables().lots.empty());
  EXPECT_TRUE(w.store().tables().transfers.empty());
}

TEST(BuyPackage, ByContributionNeedsThatSomebodyGaveSomething) {
  CoreWorld w;
  BuyPackage buy = w.Package("a100", 12, Money::Whole(1'200), {{"alice", 0}, {"bob", 0}});
  buy.split = SplitRule::kContribution;
  EXPECT_NE(w.Do(buy).detail.find("--contribution"), std::string::npos);
  buy.shares[0].share = 400'000'000;
  buy.shares[1].share = 800'000'000;
  const PackageId id = w.Buy(buy);
  EXPECT_EQ(w.Portion(id, "alice").cost, Money::Whole(400));
  EXPECT_EQ(w.Portion(id, "bob").total_ms, 8 * kHour);
}

}  // namespace
}  // namespace pinka::test
