#include "advise/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "advise/plan_answer.h"

namespace pinka::advise {
namespace {

constexpr size_t kWeekHours = 168;

const Purchase& WayOf(const MonthPlan& plan, Way way) {
  return *std::ranges::find(plan.ways, way, &Purchase::way);
}

std::vector<std::vector<double>> Steady(double units) {
  return {std::vector<double>(kMonthHours, units)};
}

TEST(DrawMonths, DrawsWholeWeeksOfTheHistoryAndTheSameForTheSameSeed) {
  std::vector<double> hourly;
  for (size_t hour = 0; hour < 3 * kWeekHours; ++hour)
    hourly.push_back(static_cast<double>(hour / kWeekHours));  // weeks of 0, 1 and 2 units
  const auto months = DrawMonths(hourly, 7);
  ASSERT_EQ(months.size(), size_t{kDrawnMonths});
  EXPECT_EQ(months, DrawMonths(hourly, 7));
  EXPECT_NE(months, DrawMonths(hourly, 8));
  for (const auto& month : months) {
    ASSERT_EQ(month.size(), size_t{kMonthHours});
    for (size_t hour = 0; hour < month.size(); ++hour)
      EXPECT_EQ(month[hour], month[hour / kWeekHours * kWeekHours]) << hour;
  }
}

TEST(DrawMonths, TakesDaysOfAYoungLabAndNothingOfAnEmptyOne) {
  const auto months = DrawMonths(std::vector<double>(5 * 24, 2.0), 1);
  EXPECT_EQ(months[0], std::vector<double>(kMonthHours, 2.0));
  EXPECT_EQ(DrawMonths({}, 1)[0], std::vector<double>(kMonthHours, 0.0));
}

TEST(StatedMonths, HoldTheHoursAQuarterMoreOrLess) {
  for (const auto& month : StatedMonths(1'000, 4, 1)) {
    const double sum = std::accumulate(month.begin(), month.end(), 0.0);
    EXPECT_GE(sum, 749.9);
    EXPECT_LE(sum, 1'250.1);
    EXPECT_LE(*std::ranges::max_element(month), 4.0);
  }
  // More than fits into the month at once: the month is full.
  EXPECT_EQ(StatedMonths(1e6, 1, 1)[0], std::vector<double>(kMonthHours, 1.0));
}

// 12 an hour: two units that are always busy cost 2 x 672 x 12 on demand, and 30 % less by the
// week.
TEST(PlanMonth, RentsByTheWeekWhatIsAlwaysBusy) {
  const MonthPlan plan = PlanMonth(Steady(2), 0, {.on_demand = 12, .weekly = 168 * 12 * 0.7});
  EXPECT_EQ(plan.peak_units, 2);
  EXPECT_NEAR(WayOf(plan, Way::kOnDemand).cost.median, 16'128, 1e-6);
  const Purchase& weekly = WayOf(plan, Way::kWeekly);
  EXPECT_EQ(weekly.weekly_units, 2);
  EXPECT_NEAR(weekly.cost.median, 16'128 * 0.7, 1e-6);
  EXPECT_NE(plan.ways.front().way, Way::kOnDemand);
}

// A week at 0.7 of its hours pays from 117.6 busy hours on.
TEST(PlanMonth, AWeekPaysFromItsBreakEvenOn) {
  const PlanPrices prices{.on_demand = 10, .weekly = 1'176};
  const auto weeks = [](size_t busy) {
    std::vector<double> month(kMonthHours, 0);
    for (size_t hour = 0; hour < month.size(); ++hour) month[hour] = hour % kWeekHours < busy;
    return std::vector<std::vector<double>>{month};
  };
  EXPECT_EQ(WayOf(PlanMonth(weeks(117), 0, prices), Way::kWeekly).weekly_units, 0);
  EXPECT_EQ(WayOf(PlanMonth(weeks(118), 0, prices), Way::kWeekly).weekly_units, 1);
}

// Months of 100, 200 … 1,000 hours: at 8 of 10 the last hour bought pays if it is used in eight of
// ten months, so what two of ten months do not reach is bought.
TEST(PlanMonth, BuysAsManyHoursAsANewsvendorPapers) {
  std::vector<std::vector<double>> months;
  for (int hundreds = 1; hundreds <= 10; ++hundreds) {
    std::vector<double> month(kMonthHours, 0);
    month[0] = 100 * hundreds;
    months.push_back(month);
  }
  const MonthPlan plan = PlanMonth(months, 0, {.on_demand = 10, .package = 8});
  const Purchase& package = WayOf(plan, Way::kPackage);
  EXPECT_EQ(package.package_hours, 300);
  const auto mean = [&months](double bought) {
    double sum = 0;
    for (const auto& month : months) sum += bought * 8 + std::max(month[0] - bought, 0.0) * 10;
    return sum / static_cast<double>(months.size());
  };
  const double got = std::accumulate(package.all.begin(), package.all.end(), 0.0) / 10;
  EXPECT_NEAR(got, mean(300), 1e-6);
  for (double other = 0; other <= 1'000; other += 50) EXPECT_LE(got, mean(other) + 1e-6) << other;
  EXPECT_EQ(
      WayOf(PlanMonth(months, 0, {.on_demand = 10, .package = 11}), Way::kPackage).package_hours,
      0);
}

// A third of the price, a tenth of the hours twice: what may go on spot costs 0.3667 of on demand.
TEST(PlanMonth, SpotTakesOnlyWhatWritesCheckpoints) {
  const MonthPlan plan = PlanMonth(Steady(1), 0.5, {.on_demand = 12, .spot = 4});
  EXPECT_NEAR(WayOf(plan, Way::kSpot).cost.median, 672 * (0.5 * 12 + 0.5 * 4 * 1.1), 1e-6);
  EXPECT_NEAR(WayOf(plan, Way::kSpot).spot_hours, 336, 1e-6);
  const MonthPlan none = PlanMonth(Steady(1), 0, {.on_demand = 12, .spot = 4});
  EXPECT_NEAR(none.ways.front().cost.median, 672 * 12, 1e-6);
}

TEST(PlanMonth, TheMixIsNeverDearerOnAverageThanItsParts) {
  std::vector<double> hourly;
  for (size_t hour = 0; hour < 8 * kWeekHours; ++hour)
    hourly.push_back(static_cast<double>(hour * 7'919 % 13) / 2 + (hour % 24 < 8 ? 3 : 0));
  for (const double package : {5.0, 9.0, 11.0}) {
    for (const double spot_part : {0.0, 0.4, 1.0}) {
      const MonthPlan plan =
          PlanMonth(DrawMonths(hourly, 3), spot_part,
                    {.on_demand = 12, .spot = 4, .package = package, .weekly = 168 * 8.4});
      const auto mean = [](const Purchase& p) {
        return std::accumulate(p.all.begin(), p.all.end(), 0.0) / static_cast<double>(p.all.size());
      };
      for (const Way way : {Way::kOnDemand, Way::kSpot, Way::kPackage, Way::kWeekly}) {
        const auto part = std::ranges::find(plan.ways, way, &Purchase::way);
        if (part == plan.ways.end()) continue;
        EXPECT_LE(mean(WayOf(plan, Way::kMixed)), mean(*part) * 1.001)
            << Name(way) << " " << package << " " << spot_part;
      }
    }
  }
}

// ---- the answer ----

v1::AdvisePlanRequest Stated() {
  v1::AdvisePlanRequest request;
  v1::PlanWork* work = request.add_work();
  work->set_tier("a100");
  work->set_unit_hours(1'000);
  work->set_at_once(4);
  v1::PlanOffer* offer = request.add_offers();
  offer->set_tier("a100");
  offer->set_kind(v1::PlanOffer::on_demand);
  offer->set_rate("12");
  return request;
}

std::string Refused(const v1::AdvisePlanRequest& request) {
  const auto plan = AdvisePlan(request, "CNY", {});
  return plan.ok() ? "" : Message(plan.status());
}

// The guide: spot a third of the price (4.2), a week 30 % below on demand (4.1).
TEST(AdvisePlan, ReckonsWithTheGuidesRatiosWhereThereIsNoOffer) {
  const auto plan = AdvisePlan(Stated(), "CNY", {});
  ASSERT_TRUE(plan.ok()) << Message(plan.status());
  const v1::TierPlan& tier = plan->tiers(0);
  EXPECT_EQ(tier.spot(), "4.000000");
  EXPECT_EQ(tier.weekly(), "1411.200000");
  EXPECT_EQ(tier.weekly_pays_from(), "117.6");
  EXPECT_EQ(tier.spot_pays_to(), "0.67");
  EXPECT_EQ(tier.package_pays_from(), "");
  EXPECT_EQ(tier.assumed_size(), 2);
  EXPECT_EQ(plan->totals(0).plan(), "on_demand");
  EXPECT_EQ(plan->totals(1).plan(), "advised");
  EXPECT_NE(tier.why(), "");
}

TEST(AdvisePlan, TakesOffersAndSortsByCost) {
  v1::AdvisePlanRequest request = Stated();
  v1::PlanOffer* offer = request.add_offers();
  offer->set_tier("a100");
  offer->set_kind(v1::PlanOffer::package);
  offer->set_rate("9");
  const auto plan = AdvisePlan(request, "CNY", {});
  ASSERT_TRUE(plan.ok());
  const v1::TierPlan& tier = plan->tiers(0);
  EXPECT_EQ(tier.package_pays_from(), "0.75");
  bool package = false;
  for (const v1::PlanCost& cost : tier.costs())
    package = package || (cost.plan() == "package" && cost.package_hours() > "0.000000");
  EXPECT_TRUE(package);
  EXPECT_EQ(tier.costs(0).plan(), "mixed");  // half of it on spot, the rest in hours bought
  for (int i = 1; i < tier.costs_size(); ++i)
    EXPECT_NE(tier.costs(i).plan(), tier.costs(i - 1).plan());
}

TEST(AdvisePlan, RefusesInOneSentence) {
  v1::AdvisePlanRequest request = Stated();
  request.clear_offers();
  EXPECT_NE(Refused(request).find("has no rate on demand"), std::string::npos);
  request = Stated();
  request.mutable_offers(0)->set_tier("t4");
  EXPECT_NE(Refused(request).find("an offer is for tier 't4'"), std::string::npos);
  request = Stated();
  request.mutable_offers(0)->set_rate("-1");
  EXPECT_NE(Refused(request).find("above 0"), std::string::npos);
  request = Stated();
  request.mutable_offers(0)->clear_kind();
  EXPECT_NE(Refused(request).find("an offer is of a kind"), std::string::npos);
  request = Stated();
  request.mutable_work(0)->set_unit_hours(-3);
  EXPECT_NE(Refused(request).find("hours of a month"), std::string::npos);
  request = Stated();
  *request.add_work() = request.work(0);
  EXPECT_NE(Refused(request).find("named twice"), std::string::npos);
  EXPECT_NE(Refused({}).find("nothing has run"), std::string::npos);
}

TEST(AdvisePlan, PlansByHistoryOnlyTiersThatWereUsed) {
  PlanTier busy;
  busy.name = "a100";
  busy.on_demand = Rate::MicrosPerUnitHour(12'000'000);
  busy.use.units.assign(4 * kWeekHours, 3.0);
  PlanTier idle = busy;
  idle.name = "t4";
  idle.use.units.assign(4 * kWeekHours, 0.0);
  const auto plan = AdvisePlan({}, "CNY", {idle, busy});
  ASSERT_TRUE(plan.ok()) << Message(plan.status());
  ASSERT_EQ(plan->tiers_size(), 1);
  EXPECT_EQ(plan->tiers(0).tier(), "a100");
  EXPECT_EQ(plan->tiers(0).unit_hours(), "2016.000000");
  EXPECT_EQ(plan->tiers(0).costs(0).weekly_units(), 3);
}

}  // namespace
}  // namespace pinka::advise
