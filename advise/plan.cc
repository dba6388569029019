#include "advise/plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace pinka::advise {
namespace {

constexpr int kDayHours = 24;
constexpr int kWeekHours = 7 * kDayHours;
constexpr double kWeeks = 4;

using Months = std::vector<std::vector<double>>;

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double Quantile(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  const double at = part * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(
      std::lround(std::clamp(at, 0.0, static_cast<double>(sorted.size() - 1))))];
}

// Hours of a month that are beyond so many units.
double Beyond(const std::vector<double>& month, int units) {
  double hours = 0;
  for (const double busy : month) hours += std::max(busy - units, 0.0);
  return hours;
}

// What is left of each month after the weekly machines.
std::vector<double> Left(const Months& months, int units) {
  std::vector<double> left;
  left.reserve(months.size());
  for (const auto& month : months) left.push_back(units == 0 ? Sum(month) : Beyond(month, units));
  return left;
}

struct Market {
  const PlanPrices& prices;
  double spot_part;  // that may go on spot machines
};

double SpotPrice(const PlanPrices& prices) { return prices.spot * (1 + kSpotLost); }

// Buys for what is left: spot for what may be, if that is the cheapest; of the rest as many hours
// of a package as pay; the rest on demand.
Purchase BuyFor(const std::vector<double>& left, const Market& market) {
  Purchase buy;
  const PlanPrices& p = market.prices;
  const bool package = p.package > 0 && p.package < p.on_demand;
  const double hour = package ? p.package : p.on_demand;
  if (p.spot > 0 && SpotPrice(p) < hour) buy.spot_part = market.spot_part;
  if (package) {
    std::vector<double> sorted = left;
    for (double& hours : sorted) hours *= 1 - buy.spot_part;
    std::ranges::sort(sorted);
    buy.package_hours = std::ceil(Quantile(sorted, 1 - p.package / p.on_demand));
  }
  for (const double hours : left) {
    const double on_spot = hours * buy.spot_part;
    const double beyond = std::max(hours - on_spot - buy.package_hours, 0.0);
    buy.all.push_back(on_spot * SpotPrice(p) + buy.package_hours * p.package +
                      beyond * p.on_demand);
  }
  return buy;
}

Purchase WithMachines(const Months& months, int units, const Market& market) {
  const std::vector<double> left = Left(months, units);
  Purchase buy = BuyFor(left, market);
  buy.weekly_units = units;
  for (double& cost : buy.all) cost += units * kWeeks * market.prices.weekly;
  buy.spot_hours = SpreadOf(left).median * buy.spot_part;
  buy.cost = SpreadOf(buy.all);
  return buy;
}

// As many machines as pay: each next one covers less, so the first that does not pay ends it.
Purchase BestMachines(const Months& months, int peak, const Market& market) {
  Purchase best = WithMachines(months, 0, market);
  if (market.prices.weekly <= 0) return best;
  for (int units = 1; units <= peak; ++units) {
    Purchase next = WithMachines(months, units, market);
    if (Sum(next.all) >= Sum(best.all)) break;
    best = std::move(next);
  }
  return best;
}

Purchase Named(Way way, Purchase buy) {
  buy.way = way;
  return buy;
}

template <class Block>
Months Draw(size_t blocks, size_t length, size_t in_month, uint64_t seed, const Block& copy) {
  std::mt19937_64 random(seed);  // the same everywhere; a distribution would not be
  Months months(kDrawnMonths);
  for (auto& month : months) {
    month.reserve(kMonthHours);
    for (size_t i = 0; i < in_month; ++i) copy(random() % blocks * length, length, &month);
  }
  return months;
}

}  // namespace

std::string_view Name(Way way) {
  switch (way) {
    case Way::kOnDemand:
      return "on_demand";
    case Way::kSpot:
      return "spot";
    case Way::kPackage:
      return "package";
    case Way::kWeekly:
      return "weekly";
    case Way::kMixed:
      return "mixed";
  }
  return "";
}

Spread SpreadOf(std::vector<double> values) {
  std::ranges::sort(values);
  return {Quantile(values, 0.05), Quantile(values, 0.5), Quantile(values, 0.95)};
}

std::vector<std::vector<double>> DrawMonths(const std::vector<double>& hourly, uint64_t seed) {
  const size_t length = hourly.size() >= 2 * kWeekHours ? kWeekHours : kDayHours;
  std::vector<double> whole = hourly;
  // The hours behind the last whole block would never be drawn: they belong to one that is not
  // over.
  const size_t blocks = std::max<size_t>(whole.size() / length, 1);
  whole.resize(blocks * length, 0);
  return Draw(blocks, length, kMonthHours / length, seed,
              [&whole](size_t at, size_t n, std::vector<double>* month) {
                const auto from = whole.begin() + static_cast<std::ptrdiff_t>(at);
                month->insert(month->end(), from, from + static_cast<std::ptrdiff_t>(n));
              });
}

std::vector<std::vector<double>> StatedMonths(double unit_hours, int at_once, uint64_t seed) {
  std::mt19937_64 random(seed);
  Months months(kDrawnMonths, std::vector<double>(kMonthHours, 0.0));
  for (auto& month : months) {
    const double factor = 0.75 + 0.5 * static_cast<double>(random() % 1'001) / 1'000;
    double left = unit_hours * factor;
    const double units = std::max(at_once, 1);
    // Busy stretches evenly over the month.
    const double busy = std::min(left / units, double{kMonthHours});
    const double step = busy > 0 ? kMonthHours / busy : 0;
    for (double at = 0; at < kMonthHours && left > 0 && step > 0; at += step) {
      const double here = std::min(units, left);
      month[static_cast<size_t>(at)] += here;
      left -= here;
    }
  }
  return months;
}

MonthPlan PlanMonth(const std::vector<std::vector<double>>& months, double spot_part,
                    const PlanPrices& prices) {
  MonthPlan plan;
  double peak = 0;
  for (const auto& month : months) {
    for (const double busy : month) peak = std::max(peak, busy);
  }
  plan.peak_units = static_cast<int>(std::ceil(peak));
  plan.hours = SpreadOf(Left(months, 0));
  const PlanPrices plain{.on_demand = prices.on_demand};
  const auto only = [&](Way way, double PlanPrices::*price) {
    PlanPrices one = plain;
    one.*price = prices.*price;
    const bool spot = way == Way::kSpot;
    plan.ways.push_back(
        Named(way, BestMachines(months, plan.peak_units, {one, spot ? spot_part : 0})));
  };
  only(Way::kOnDemand, &PlanPrices::on_demand);
  if (prices.spot > 0 && spot_part > 0) only(Way::kSpot, &PlanPrices::spot);
  if (prices.package > 0) only(Way::kPackage, &PlanPrices::package);
  if (prices.weekly > 0) only(Way::kWeekly, &PlanPrices::weekly);
  plan.ways.push_back(
      Named(Way::kMixed, BestMachines(months, plan.peak_units, {prices, spot_part})));
  std::ranges::stable_sort(plan.ways, {}, [](const Purchase& p) { return Sum(p.all); });
  return plan;
}

}  // namespace pinka::advise
