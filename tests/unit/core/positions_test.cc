// Positions and payments: whole numbers that come to nothing (semantics.md 9).
#include "scheduler/core/positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/random.h"
#include "base/split.h"

namespace pinka {
namespace {

using What = PoolStep::What;

constexpr MemberId kAnn{1};
constexpr MemberId kBob{2};
constexpr MemberId kCai{3};
const Timestamp kMonth = Timestamp::Seconds(1'000'000);
const Owner kLab = OwnedByLab();

Money Cents(int64_t n) { return Money::Micros(n * 10'000); }

PositionFacts Three() {
  PositionFacts facts;
  for (MemberId id : {kAnn, kBob, kCai}) facts.people[id];
  return facts;
}

std::vector<Money> Of(const std::vector<PositionRow>& rows, Money PositionRow::*column) {
  std::vector<Money> values;
  for (const PositionRow& row : rows) values.push_back(row.*column);
  return values;
}

std::vector<Money> Positions(const PositionFacts& facts, Spread spread = Spread::kUsage) {
  return Of(PositionsOf(facts, kMonth, spread), &PositionRow::position);
}

using Moneys = std::vector<Money>;

TEST(Positions, AreWhatOthersUsedOfOnesMoneyLessWhatOneUsedOfTheirs) {
  PositionFacts facts = Three();
  facts.steps = {{What::kIn, kLab, {}, kAnn, Money::Whole(90)},
                 {What::kIn, kLab, {}, kBob, Money::Whole(10)},
                 {What::kUse, kLab, {}, kCai, Money::Whole(50)}};
  const auto rows = PositionsOf(facts, kMonth, Spread::kUsage);
  EXPECT_EQ(Of(rows, &PositionRow::paid), (Moneys{Money::Whole(90), Money::Whole(10), {}}));
  EXPECT_EQ(Of(rows, &PositionRow::carried), (Moneys{Money::Whole(45), Money::Whole(5), {}}));
  EXPECT_EQ(Of(rows, &PositionRow::spent), (Moneys{{}, {}, Money::Whole(50)}));
  EXPECT_EQ(Of(rows, &PositionRow::position),
            (Moneys{Money::Whole(45), Money::Whole(5), -Money::Whole(50)}));
}

TEST(Positions, ChargeOwnMoneyAndMoneyFromOutsideToNobody) {
  PositionFacts facts = Three();
  facts.steps = {{What::kIn, OwnedBy(kAnn), {}, kAnn, Money::Whole(90)},
                 {What::kUse, OwnedBy(kAnn), {}, kAnn, Money::Whole(50)},
                 {What::kIn, kLab, {}, {}, Money::Whole(30)},
                 {What::kUse, kLab, {}, kBob, Money::Whole(30)}};
  EXPECT_EQ(Positions(facts), Moneys(3));
  // Half of it from outside: half is owed.
  facts.steps = {{What::kIn, kLab, {}, {}, Money::Whole(40)},
                 {What::kIn, kLab, {}, kAnn, Money::Whole(40)},
                 {What::kUse, kLab, {}, kBob, Money::Whole(30)}};
  EXPECT_EQ(Positions(facts), (Moneys{Money::Whole(15), -Money::Whole(15), {}}));
}

TEST(Positions, OfWhoComesLaterOweNothingForWhatWasUsedBefore) {
  PositionFacts facts = Three();
  facts.steps = {{What::kIn, kLab, {}, kAnn, Money::Whole(100)},
                 {What::kUse, kLab, {}, kBob, Money::Whole(60)},
                 {What::kIn, kLab, {}, kCai, Money::Whole(60)},
                 {What::kUse, kLab, {}, kBob, Money::Whole(10)}};
  // The 60 were Ann's; of the 10, 4 are hers and 6 Cai's.
  EXPECT_EQ(Positions(facts), (Moneys{Money::Whole(64), -Money::Whole(70), Money::Whole(6)}));
}

TEST(Positions, FollowMoneyIntoAnotherPoolAndBackFromARefund) {
  PositionFacts facts = Three();
  facts.steps = {{What::kIn, kLab, {}, kAnn, Money::Whole(75)},
                 {What::kIn, kLab, {}, kBob, Money::Whole(25)},
                 {What::kMove, kLab, OwnedBy(kCai), {}, Money::Whole(40)},
                 {What::kUse, OwnedBy(kCai), {}, kCai, Money::Whole(40)}};
  EXPECT_EQ(Positions(facts), (Moneys{Money::Whole(30), Money::Whole(10), -Money::Whole(40)}));
  facts.steps.push_back({What::kUse, OwnedBy(kCai), {}, kCai, -Money::Whole(20)});
  EXPECT_EQ(Positions(facts), (Moneys{Money::Whole(15), Money::Whole(5), -Money::Whole(20)}));
}

TEST(Positions, AreNotMovedByWhatLapsesOrIsTakenOut) {
  PositionFacts facts = Three();
  facts.steps = {{What::kIn, kLab, {}, kAnn, Money::Whole(90)},
                 {What::kIn, kLab, {}, kBob, Money::Whole(30)},
                 {What::kLapse, kLab, {}, {}, Money::Whole(40)},
                 {What::kOut, kLab, {}, {}, Money::Whole(40)}};
  EXPECT_EQ(Positions(facts), Moneys(3));
  // Who takes out what others put in owes it; own money is only what it was.
  facts.steps.push_back({What::kPaidOut, kLab, {}, kBob, Money::Whole(40)});
  EXPECT_EQ(Positions(facts), (Moneys{Money::Whole(30), -Money::Whole(30), {}}));
}

TEST(Positions, OfAPoolThatIsOverdrawnStillComeToNothing) {
  PositionFacts facts = Three();
  facts.steps = {{What::kIn, kLab, {}, kAnn, Money::Whole(50)},
                 {What::kUse, kLab, {}, kBob, Money::Whole(45)},
                 {What::kIn, kLab, {}, kAnn, -Money::Whole(20)},
                 {What::kUse, kLab, {}, kCai, Money::Whole(5)},
                 {What::kUse, kLab, {}, kBob, -Money::Whole(50)}};
  const auto rows = PositionsOf(facts, kMonth, Spread::kUsage);
  EXPECT_TRUE(AddUp(rows));
  EXPECT_EQ(Of(rows, &PositionRow::paid)[0], Money::Whole(30));
}

// 1000 hours for 12,000.00, half of them used, a tenth lapsed with the lab.
PositionFacts Hours() {
  PositionFacts facts = Three();
  PaidPackage& package = facts.packages[PackageId(9)];
  package.payer = kAnn;
  package.parts[kAnn] = {Money::Whole(1'000), {}, 300};
  package.parts[kBob] = {Money::Whole(4'000), {}, 100};
  package.parts[kCai] = {{}, Money::Whole(500), 0};
  package.parts[MemberId()] = {{}, {}, 100};
  package.overhead = Money::Whole(1'500);
  package.left = Money::Whole(5'000);
  facts.people[kAnn].used = Money::Whole(1'000);
  facts.people[kBob].used = Money::Whole(4'000);
  return facts;
}

TEST(Positions, OfAPackageAreItsPriceLessUsedLapsedAndUnusedHours) {
  const auto rows = PositionsOf(Hours(), kMonth, Spread::kUsage);
  EXPECT_EQ(Of(rows, &PositionRow::paid), (Moneys{Money::Whole(12'000), {}, {}}));
  EXPECT_EQ(Of(rows, &PositionRow::spent), (Moneys{Money::Whole(1'000), Money::Whole(4'000), {}}));
  EXPECT_EQ(Of(rows, &PositionRow::lapsed), (Moneys{{}, {}, Money::Whole(500)}));
  EXPECT_EQ(Of(rows, &PositionRow::carried),
            (Moneys{Money::Whole(3'000), Money::Whole(1'000), {}}));
  // 1,500.00 lapsed and 1,000.00 that nobody was given.
  EXPECT_EQ(Of(rows, &PositionRow::overhead), (Moneys{Money::Whole(500), Money::Whole(2'000), {}}));
  EXPECT_EQ(Of(rows, &PositionRow::position),
            (Moneys{Money::Whole(7'500), -Money::Whole(7'000), -Money::Whole(500)}));
}

TEST(Positions, SpreadOverheadByUsageEquallyOrByContribution) {
  PositionFacts facts = Hours();
  const auto overhead = [&](Spread spread) {
    return Of(PositionsOf(facts, kMonth, spread), &PositionRow::overhead);
  };
  EXPECT_EQ(overhead(Spread::kEqual), (Moneys{Cents(83'334), Cents(83'333), Cents(83'333)}));
  EXPECT_EQ(overhead(Spread::kContribution), (Moneys{Money::Whole(2'500), {}, {}}));
  for (auto& [id, person] : facts.people) person.used = {};
  EXPECT_EQ(overhead(Spread::kUsage), overhead(Spread::kEqual)) << "nothing used";
  facts.people[kAnn].removed = true;
  EXPECT_EQ(overhead(Spread::kEqual), (Moneys{{}, Money::Whole(1'250), Money::Whole(1'250)}));
  // Under a cent stays with the first of those who bear most.
  facts.packages[PackageId(9)].overhead += Money::Micros(7'001);
  EXPECT_EQ(overhead(Spread::kEqual)[1], Money::Whole(1'250) + Money::Micros(7'001));
}

TEST(Positions, LeaveTheOverheadOfEarlierMonthsAsItWasShared) {
  PositionFacts facts = Hours();
  facts.since = Timestamp::Seconds(1);
  facts.people[kCai].overhead = Money::Whole(2'400);
  EXPECT_EQ(Of(PositionsOf(facts, kMonth, Spread::kUsage), &PositionRow::overhead),
            (Moneys{Money::Whole(20), Money::Whole(80), Money::Whole(2'400)}));
  // Hours that nobody was given and somebody has used since come back.
  facts.people[kCai].overhead = Money::Whole(2'600);
  EXPECT_EQ(Of(PositionsOf(facts, kMonth, Spread::kUsage), &PositionRow::overhead),
            (Moneys{-Money::Whole(20), -Money::Whole(80), Money::Whole(2'600)}));
}

// 100.00 to a provider, 40.00 of it charged to attempts: 60.00 is everybody's, but for 15.00 that
// were one member's.
TEST(Positions, OfABillAreWhatNoAttemptWasChargedFor) {
  PositionFacts facts = Three();
  facts.bills[InvoiceId(9)] = {kAnn, Money::Whole(60), {{kBob, Money::Whole(15)}}};
  const auto rows = PositionsOf(facts, kMonth, Spread::kEqual);
  EXPECT_EQ(Of(rows, &PositionRow::paid), (Moneys{Money::Whole(60), {}, {}}));
  EXPECT_EQ(Of(rows, &PositionRow::spent), (Moneys{{}, Money::Whole(15), {}}));
  EXPECT_EQ(Of(rows, &PositionRow::overhead),
            (Moneys{Money::Whole(15), Money::Whole(15), Money::Whole(15)}));
  EXPECT_EQ(Of(rows, &PositionRow::position),
            (Moneys{Money::Whole(45), -Money::Whole(30), -Money::Whole(15)}));
  facts.bills[InvoiceId(9)].rest = -Money::Whole(30);  // vouchers were more than that
  facts.bills[InvoiceId(9)].spent.clear();
  EXPECT_EQ(Of(PositionsOf(facts, kMonth, Spread::kEqual), &PositionRow::position),
            (Moneys{-Money::Whole(20), Money::Whole(10), Money::Whole(10)}));
}

TEST(Positions, CountPaymentsOfEarlierMonthsAndLeaveOutWhoIsGoneWithNothing) {
  PositionFacts facts = Three();
  facts.people[kAnn].settled = Money::Whole(3);
  facts.people[kBob].settled = -Money::Whole(3);
  facts.people[kCai].removed = true;
  EXPECT_EQ(Positions(facts), (Moneys{Money::Whole(3), -Money::Whole(3)}));
}

std::vector<PositionRow> Rows(const std::vector<int64_t>& micros) {
  std::vector<PositionRow> rows;
  for (size_t i = 0; i < micros.size(); ++i) {
    PositionRow row;
    row.month = kMonth;
    row.member = MemberId(static_cast<int64_t>(i) + 1);
    row.paid = row.position = Money::Micros(micros[i]);
    rows.push_back(row);
  }
  return rows;
}

struct Case {
  const char* name;
  std::vector<int64_t> positions;  // micro-units, of members 1, 2 …
  std::vector<Proposal> proposals;
};

TEST(Payments, GoFromTheLargestDebtorToTheLargestCreditor) {
  const auto pay = [](int64_t from, int64_t to, int64_t cents) {
    return Proposal{MemberId(from), MemberId(to), Cents(cents)};
  };
  const Case cases[] = {
      {"nobody owes", {0, 0}, {}},
      {"one owes one", {-5'000'000, 5'000'000}, {pay(1, 2, 500)}},
      {"two owe one", {10'000'000, -4'000'000, -6'000'000}, {pay(3, 1, 600), pay(2, 1, 400)}},
      {"one owes two", {-10'000'000, 3'000'000, 7'000'000}, {pay(1, 3, 700), pay(1, 2, 300)}},
      {"ties by member",
       {-1'000'000, -1'000'000, 1'000'000, 1'000'000},
       {pay(1, 3, 100), pay(2, 4, 100)}},
      {"the largest again",
       {-9'000'000, -2'000'000, 6'000'000, 5'000'000},
       {pay(1, 3, 600), pay(1, 4, 300), pay(2, 4, 200)}},
      {"under a cent stays", {-9'999, 9'999}, {pay(1, 2, 1)}},
      {"half a cent each", {-4'000, 2'000, 2'000}, {}},
      {"three times a third",
       {-3'333'333, -3'333'333, -3'333'334, 10'000'000},
       {pay(3, 4, 334), pay(1, 4, 333), pay(2, 4, 333)}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ProposePayments(Rows(c.positions)), c.proposals);
  }
}

TEST(Payments, BringAnyPositionsWithinACentOfNothing) {
  SeededRandom random(39);
  for (int round = 0; round < 2'000; ++round) {
    const size_t n = 2 + random.Below(11);
    std::vector<int64_t> micros;
    const uint64_t span = round % 3 == 0 ? 30'000 : 9'000'000'000;
    for (size_t i = 0; i + 1 < n; ++i)
      micros.push_back(static_cast<int64_t>(random.Below(2 * span)) - static_cast<int64_t>(span));
    micros.push_back(-std::accumulate(micros.begin(), micros.end(), int64_t{0}));
    std::vector<PositionRow> rows = Rows(micros);
    const std::vector<Proposal> proposals = ProposePayments(rows);
    ASSERT_LE(proposals.size(), n - 1);
    std::map<MemberId, Money> left;
    for (const PositionRow& row : rows) left[row.member] = row.position;
    for (const Proposal& p : proposals) {
      ASSERT_GT(p.amount, Money());
      ASSERT_TRUE(IsWholeCents(p.amount));
      left[p.from] += p.amount;
      left[p.to] -= p.amount;
    }
    for (const auto& [member, rest] : left) ASSERT_LT(std::abs(rest.micros()), 10'000);
    std::mt19937_64 order(static_cast<uint64_t>(round));
    std::ranges::shuffle(rows, order);
    ASSERT_EQ(ProposePayments(rows), proposals) << "in another order";
  }
}

TEST(Positions, OfAnyBooksComeToNothing) {
  SeededRandom random(32);
  const auto owner = [&] {
    const int64_t n = static_cast<int64_t>(random.Below(4));
    return n == 0 ? kLab : OwnedBy(MemberId(n));
  };
  for (int round = 0; round < 300; ++round) {
    PositionFacts facts = Three();
    std::map<std::pair<Owner, MemberId>, Money> used;
    for (int n = 0; n < 40; ++n) {
      PoolStep step;
      step.what = static_cast<What>(random.Below(6));
      step.pool = owner();
      step.to = owner();
      step.member = MemberId(static_cast<int64_t>(random.Below(4)));
      step.amount = Money::Micros(static_cast<int64_t>(random.Below(1'000'000'000)) + 1);
      const bool named = step.what == What::kUse || step.what == What::kPaidOut;
      if (named && !step.member) step.member = kBob;
      Money& sum = used[{step.pool, step.member}];
      if (step.what == What::kUse && sum > step.amount && n % 2 == 0) step.amount = -step.amount;
      if (step.what == What::kUse) sum += step.amount;
      facts.steps.push_back(step);
    }
    PaidPackage& package = facts.packages[PackageId(9)];
    package.payer = kCai;
    package.left = Money::Micros(static_cast<int64_t>(random.Below(1'000'000'000)) + 1);
    for (int64_t id : {0, 1, 2}) {
      package.parts[MemberId(id)] = {
          Money::Micros(id == 0 ? 0 : static_cast<int64_t>(random.Below(1'000'000))), {}, id + 7};
    }
    for (Spread spread : {Spread::kUsage, Spread::kEqual, Spread::kContribution})
      EXPECT_TRUE(AddUp(PositionsOf(facts, kMonth, spread)));
  }
}

TEST(AddUp, SaysWhereRowsDoNot) {
  EXPECT_TRUE(AddUp({}));
  EXPECT_TRUE(AddUp(Rows({5, -5})));
  EXPECT_FALSE(AddUp(Rows({5, -4})));
  std::vector<PositionRow> rows = Rows({5, -5});
  rows[0].carried = Money::Micros(1);
  EXPECT_FALSE(AddUp(rows));
}

}  // namespace
}  // namespace pinka
