#include "advise/cost.h"

#include <gtest/gtest.h>

#include "base/parse.h"

namespace pinka::advise {
namespace {

CostAsk GuidesExample() {
  CostAsk ask;
  ask.local = Duration::Hours(8);
  ask.watts = 170;
  ask.kwh = Money::Micros(800'000);
  ask.cloud = Duration::Hours(2);
  ask.rate = Rate::MicrosPerUnitHour(6'000'000);
  return ask;
}

TEST(CompareCost, GivesTheGuidesExampleToTheDigit) {
  const auto a = CompareCost(GuidesExample());
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(FormatMoney(a->local), "1.09");  // 8 h x 0.17 kW x 0.8
  EXPECT_EQ(a->local, Money::Micros(1'088'000));
  EXPECT_EQ(a->cloud_total, Money::Whole(12));
  EXPECT_FALSE(a->cloud_is_cheaper);
  EXPECT_EQ(a->saved, Duration::Hours(6));
  EXPECT_EQ(a->price_of_an_hour, Money::Micros(1'818'667));    // 10.912 / 6
  EXPECT_EQ(a->break_even, Rate::MicrosPerUnitHour(544'000));  // 1.088 / 2 h
}

TEST(CompareCost, RentingWinsBelowTheBreakEven) {
  CostAsk ask = GuidesExample();
  ask.rate = Rate::MicrosPerUnitHour(543'999);
  EXPECT_TRUE(CompareCost(ask)->cloud_is_cheaper);
  ask.rate = Rate::MicrosPerUnitHour(544'000);
  EXPECT_FALSE(CompareCost(ask)->cloud_is_cheaper);
}

TEST(CompareCost, CountsTheMinimumsOfTheGuidesTrap) {
  CostAsk ask;
  ask.cloud = Duration::Minutes(5);
  ask.rate = Rate::MicrosPerUnitHour(12'000'000);
  ask.minimum = ask.block = Duration::Hours(1);
  const auto a = CompareCost(ask);
  EXPECT_EQ(a->cloud, Money::Whole(12));
  EXPECT_EQ(a->unused, Money::Whole(11));
  EXPECT_EQ(BilledTime(Duration::Minutes(61), ask.minimum, ask.block), Duration::Hours(2));
  EXPECT_EQ(BilledTime(Duration::Seconds(10), Duration::Seconds(60), Duration::Seconds(1)),
            Duration::Seconds(60));
}

TEST(CompareCost, AddsDiskAndWhatIsBroughtOut) {
  CostAsk ask = GuidesExample();
  ask.egress_gb = 150;
  ask.egress = Money::Micros(800'000);
  ask.disk_gb = 100;
  ask.disk = Rate::MicrosPerUnitHour(500);
  const auto a = CompareCost(ask);
  EXPECT_EQ(a->egress, Money::Whole(120));
  EXPECT_EQ(a->disk, Money::Micros(100'000));
  EXPECT_EQ(a->cloud_total, a->cloud + a->egress + a->disk);
  EXPECT_EQ(a->break_even, Rate());  // data alone costs more than the own machine
}

TEST(CompareCost, RefusesWhatMakesNoSense) {
  for (const auto& spoil :
       {+[](CostAsk& a) { a.cloud = Duration(); }, +[](CostAsk& a) { a.kwh = -Money::Whole(1); },
        +[](CostAsk& a) { a.block = Duration(); }, +[](CostAsk& a) { a.epochs = 0; },
        +[](CostAsk& a) { a.cloud = Duration::Days(4'000); }}) {
    CostAsk ask = GuidesExample();
    spoil(ask);
    EXPECT_FALSE(CompareCost(ask).ok());
  }
}

}  // namespace
}  // namespace pinka::advise
