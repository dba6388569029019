// What providers bill: billing.cc.
#include "scheduler/core/billing.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

BillingRule Rule(int64_t cents, Duration minimum, Duration block) {
  BillingRule rule;
  rule.rate = Rate::MicrosPerUnitHour(cents * 10'000);
  rule.minimum = minimum;
  rule.block = block;
  return rule;
}

BillingRule Hourly() { return Rule(1'200, Duration::Minutes(60), Duration::Minutes(60)); }

// Each stretch up to a cent, cut at the full hours of UTC+8.
BillingRule AutoDl() {
  BillingRule rule = Rule(1'200, Duration(), Duration::Seconds(1));
  rule.rounding = Rounding::kUp;
  rule.round_at = RoundAt::kSegment;
  rule.round_to = Money::Micros(10'000);
  rule.cut = Duration::Hours(1);
  rule.cut_offset = Duration::Hours(8);
  return rule;
}

Money Of(const BillingRule& rule, Duration span, int64_t units = 1,
         Timestamp from = At(2026, 10, 1, 9)) {
  return BillOf(rule, units, from, from + span, Stretch::kOver);
}

Money Cents(int64_t n) { return Money::Micros(n * 10'000); }

TEST(Bill, IsAsTheWorkedNumbersSay) {
  struct Case {
    BillingRule rule;
    Duration span;
    int64_t cents;
  };
  const BillingRule aws = Rule(1'200, Duration::Seconds(60), Duration::Seconds(1));
  const Case cases[] = {
      {Hourly(), Duration::Minutes(5), 1'200},
      {Hourly(), Duration::Minutes(60), 1'200},
      {Hourly(), Duration::Minutes(61), 2'400},
      {Hourly(), Duration::Micros(1), 1'200},
      {Hourly(), Duration(), 0},
      {aws, Duration::Seconds(10), 20},
      {aws, Duration::Seconds(60), 20},
      {aws, Duration::Seconds(90), 30},
      {Rule(1'200, Duration(), Duration::Minutes(1)), Duration::Seconds(61), 40},
      {AutoDl(), Duration::Seconds(37), 13},
      {AutoDl(), Duration::Seconds(3), 1},
      {AutoDl(), Duration::Hours(1), 1'200},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.span.micros()) + " us for " + std::to_string(c.cents));
    EXPECT_EQ(Of(c.rule, c.span), Cents(c.cents));
  }
}

TEST(Bill, OfAHundredSegmentsRoundsEachUpToACent) {
  Money sum;
  for (int i = 0; i < 100; ++i)
    sum += Of(AutoDl(), Duration::Seconds(37), 1, At(2026, 10, 1, 9) + Duration::Minutes(i));
  EXPECT_EQ(sum, Money::Whole(13));
  EXPECT_EQ(Of(Rule(1'200, Duration(), Duration::Seconds(1)), Duration::Seconds(3'700)),
            Money::Micros(12'333'333))
      << "together they would be less";
}

TEST(Bill, IsCutAtTheFullHourOfTheProvidersZone) {
  // 9:59:29 to 10:00:31 is two stretches of 31 s: 0.1033 up, twice.
  const Timestamp from = At(2026, 10, 1, 9, 59, 29);
  EXPECT_EQ(Of(AutoDl(), Duration::Seconds(62), 1, from), Cents(22));
  BillingRule uncut = AutoDl();
  uncut.cut = Duration();
  EXPECT_EQ(Of(uncut, Duration::Seconds(62), 1, from), Cents(21)) << "0.2067 up";
  // In a zone of half hours the same minute has no cut.
  BillingRule blocks = Hourly();
  blocks.cut = Duration::Hours(1);
  blocks.cut_offset = Duration::Hours(8);
  EXPECT_EQ(Of(blocks, Duration::Seconds(61), 1, from), Money::Whole(24)) << "two hours begun";
  blocks.cut_offset = Duration::Minutes(5 * 60 + 30);
  EXPECT_EQ(Of(blocks, Duration::Seconds(61), 1, from), Money::Whole(12)) << "one";
}

TEST(Bill, CountsUnitsBeforeItRounds) {
  EXPECT_EQ(Of(AutoDl(), Duration::Seconds(37), 4), Cents(50)) << "4 x 0.12333 is 0.4933";
  EXPECT_EQ(Of(Hourly(), Duration::Minutes(61), 8), Money::Whole(192));
}

TEST(Bill, RoundsOnceWhereTheRuleSaysSo) {
  BillingRule rule = Rule(1'200, Duration(), Duration::Seconds(1));
  rule.round_to = Money::Micros(10'000);
  EXPECT_EQ(Of(rule, Duration::Seconds(37)), Cents(12));
  EXPECT_EQ(Of(rule, Duration::Seconds(39)), Cents(13));
  rule.cut = Duration::Minutes(1);
  EXPECT_EQ(Of(rule, Duration::Minutes(3)), Cents(60));
}

TEST(Bill, OfAStretchThatGoesOnIsItsTimeAlone) {
  const Timestamp from = At(2026, 10, 1, 9, 10);
  const auto open = [&](const BillingRule& rule, Duration span) {
    return BillOf(rule, 1, from, from + span, Stretch::kOpen);
  };
  EXPECT_EQ(open(Hourly(), Duration::Minutes(20)), Money::Whole(4));
  // Over at ten: 600.0333 s up; the next one by time.
  BillingRule dear = AutoDl();
  dear.rate = Rate::MicrosPerUnitHour(12'001'000);
  EXPECT_EQ(open(dear, Duration::Minutes(50)), Cents(1'001)) << "10.000833 up";
  EXPECT_EQ(open(dear, Duration::Minutes(56)), Cents(1'001) + Money::Micros(1'200'100));
}

TEST(Bill, IsNeverLessThanTheTimeUpToItsRounding) {
  SeededRandom random(20'261'001);
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random.Below(n)); };
  for (int i = 0; i < 2'000; ++i) {
    SCOPED_TRACE("case " + std::to_string(i) + " of seed 20261001");
    BillingRule rule =
        Rule(below(5'000), Duration::Seconds(below(4'000)), Duration::Seconds(1 + below(4'000)));
    rule.rounding = below(2) == 0 ? Rounding::kUp : Rounding::kHalfAway;
    rule.round_at = below(2) == 0 ? RoundAt::kSegment : RoundAt::kBill;
    rule.round_to = Cents(1);
    if (below(2) == 0) rule.cut = Duration::Minutes(1 + below(300));
    const int64_t units = 1 + below(8);
    const Timestamp from = At(2026, 9, 30, 12) + Duration::Millis(below(100'000'000));
    const Duration span = Duration::Millis(below(50'000'000));
    const Money bill = BillOf(rule, units, from, from + span, Stretch::kOver);
    const Money time = TimeCost(rule.rate, UnitTime::Of(units, span));
    const int64_t stretches = rule.cut == Duration() ? 1 : span.micros() / rule.cut.micros() + 2;
    EXPECT_GE(bill, time - Cents(stretches));
    EXPECT_LE(bill, BillOf(rule, units, from, from + span + rule.block, Stretch::kOver));
    EXPECT_GE(PaidUntil(rule, from, from + span), from + span);
  }
}

TEST(PaidUntil, IsTheEndOfTheBlockOrTheMinimumOrTheCut) {
  const Timestamp from = At(2026, 10, 1, 9, 10);
  const auto left = [&](const BillingRule& rule, Duration span) {
    return PaidUntil(rule, from, from + span) - from;
  };
  EXPECT_EQ(left(Hourly(), Duration()), Duration::Minutes(60)) << "the first hour is taken";
  EXPECT_EQ(left(Hourly(), Duration::Minutes(26)), Duration::Minutes(60));
  EXPECT_EQ(left(Hourly(), Duration::Minutes(60)), Duration::Minutes(60));
  EXPECT_EQ(left(Hourly(), Duration::Minutes(61)), Duration::Minutes(120));
  const BillingRule aws = Rule(1'200, Duration::Seconds(60), Duration::Seconds(1));
  EXPECT_EQ(left(aws, Duration::Seconds(5)), Duration::Seconds(60));
  EXPECT_EQ(left(aws, Duration::Seconds(70)), Duration::Seconds(70));
  BillingRule cut = Hourly();
  cut.cut = Duration::Hours(1);
  cut.cut_offset = Duration::Hours(8);
  EXPECT_EQ(left(cut, Duration::Minutes(26)), Duration::Minutes(50)) << "ten o'clock";
  EXPECT_EQ(left(cut, Duration::Minutes(50)), Duration::Minutes(110));
}

TEST(LeastBill, IsTheMinimumOrABlock) {
  EXPECT_EQ(LeastBill(Hourly(), 2), Money::Whole(24));
  EXPECT_EQ(LeastBill(Rule(1'200, Duration::Seconds(60), Duration::Seconds(1)), 1), Cents(20));
  EXPECT_EQ(LeastBill(AutoDl(), 1), Cents(1));
}

}  // namespace
}  // namespace pinka::test
