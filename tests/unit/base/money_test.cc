#include "base/money.h"

#include <gtest/gtest.h>

#include "base/parse.h"

namespace pinka {
namespace {

Rate PerHour(const char* money) { return Rate::MicrosPerUnitHour(ParseMoney(money)->micros()); }

TEST(Money, AddsAndSubtracts) {
  Money sum = Money::Whole(5);
  sum += Money::Micros(1);
  sum -= Money::Whole(2);
  EXPECT_EQ(sum, Money::Micros(3'000'001));
  EXPECT_EQ(-sum, Money::Micros(-3'000'001));
}

TEST(MoneyDeathTest, AbortsWhereASumLeaves64Bits) {
  EXPECT_DEATH(Money::Micros(INT64_MAX) + Money::Micros(1), "a sum of money left 64 bits");
  EXPECT_DEATH(Money::Micros(INT64_MIN) - Money::Micros(1), "a difference of money left 64 bits");
}

TEST(Cost, IsTheWorkedNumbers) {
  struct Case {
    int64_t units;
    Duration span;
    const char* per_hour;
    const char* cost;
  };
  for (const Case& c : {
           Case{1, Duration::Minutes(20), "12", "4.000000"},
           Case{1, Duration::Minutes(25), "12", "5.000000"},
           Case{1, Duration::Minutes(15), "12", "3.000000"},
           Case{4, Duration::Hours(12), "12", "576.000000"},
           Case{4, Duration::Hours(60), "12", "2880.000000"},
           Case{1, Duration::Seconds(35'000), "2.490001", "24.208343"},
           Case{8, Duration::Hours(0), "12", "0.000000"},
           Case{1, Duration::Hours(1), "0", "0.000000"},
       }) {
    EXPECT_EQ(FormatWireMoney(Cost(UnitTime::Of(c.units, c.span), PerHour(c.per_hour))), c.cost)
        << c.units << " x " << c.span.seconds() << " s at " << c.per_hour;
  }
}

TEST(Cost, RoundsHalfAwayFromZero) {
  // One micro-unit per unit-hour: an hour is 3'600'000 unit-milliseconds.
  Rate rate = Rate::MicrosPerUnitHour(1);
  EXPECT_EQ(Cost(UnitTime::Millis(1'799'999), rate).micros(), 0);
  EXPECT_EQ(Cost(UnitTime::Millis(1'800'000), rate).micros(), 1);
  EXPECT_EQ(Cost(UnitTime::Millis(-1'799'999), rate).micros(), 0);
  EXPECT_EQ(Cost(UnitTime::Millis(-1'800'000), rate).micros(), -1);
}

// semantics.md 8: charged cumulatively, many small ticks sum to the one exact product.
TEST(Cost, OfManyTicksSumsToOneExactProduct) {
  Money posted;
  UnitTime total;
  for (int tick = 0; tick < 5'000; ++tick) {
    total = total + UnitTime::Of(1, Duration::Seconds(7));
    posted += Cost(total, PerHour("2.490001")) - posted;
  }
  EXPECT_EQ(FormatWireMoney(posted), "24.208343");
}

// semantics.md 8: a package's cost moves as the exact cumulative fraction price x used / total.
TEST(MulDivRound, SpreadsAPackageOverItsHoursExactly) {
  const int64_t price = Money::Whole(800).micros();
  const int64_t all = UnitTime::Of(700, Duration::Hours(1)).millis();
  int64_t moved = 0;
  for (int64_t hour = 1; hour <= 700; ++hour) {
    int64_t used = UnitTime::Of(hour, Duration::Hours(1)).millis();
    moved += MulDivRound(price, used, all) - moved;
    EXPECT_TRUE(hour != 1 || moved == 1'142'857);
    EXPECT_TRUE(hour != 350 || moved == 400'000'000);
  }
  EXPECT_EQ(Money::Micros(moved), Money::Whole(800));
}

TEST(MulDivRound, GoesThrough128Bits) {
  EXPECT_EQ(MulDivRound(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
  EXPECT_EQ(MulDivRound(INT64_MIN, 1, 1), INT64_MIN);
  EXPECT_EQ(MulDivRound(5, 1, 2), 3);
  EXPECT_EQ(MulDivRound(-5, 1, 2), -3);
  EXPECT_EQ(MulDivRound(1, 1, 3), 0);
  EXPECT_EQ(MulDivRound(-2, 1, 3), -1);
  EXPECT_EQ(MulDivRound(INT64_MAX - 1, 1, INT64_MAX), 1);
}

TEST(Cost, SaysBeforehandWhereItOverflows) {
  EXPECT_FALSE(CostOverflows(UnitTime::Millis(3'600'000), Rate::MicrosPerUnitHour(INT64_MAX)));
  EXPECT_TRUE(CostOverflows(UnitTime::Millis(3'600'001), Rate::MicrosPerUnitHour(INT64_MAX)));
  EXPECT_TRUE(CostOverflows(UnitTime::Millis(INT64_MIN), Rate::MicrosPerUnitHour(INT64_MIN)));
}

TEST(CostDeathTest, AbortsWhereItOverflows) {
  EXPECT_DEATH(Cost(UnitTime::Millis(INT64_MAX), Rate::MicrosPerUnitHour(INT64_MAX)),
               "a cost left 64 bits");
  EXPECT_DEATH(MulDivRound(1, 1, 0), "the divisor of MulDivRound is positive");
}

}  // namespace
}  // namespace pinka
