// How many hours to buy of which tier, and how: on demand, on spot machines, as a package, as
// machines by the week. From the hours that were used, months are drawn (whole weeks of the history
// with repetition, by a seed), and each way of paying is reckoned over all of them.
//
// A machine by the week pays where its unit is busy for more than its price buys on demand. Hours
// of a package are a newsvendor's papers: buy as many as next month needs with the probability that
// makes the last one pay, price / on-demand price.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/money.h"

namespace pinka::advise {

struct HourlyUse {
  std::vector<double> units;  // unit-hours in each hour of the history, the first hour first
  double spot_part = 0;       // of the work: it writes checkpoints, so that a reclaim costs little
};

// Of a unit-hour; weekly: of a unit for 168 hours. 0: cannot be had.
struct PlanPrices {
  double on_demand = 0;
  double spot = 0;
  double package = 0;
  double weekly = 0;
};

enum class Way { kOnDemand, kSpot, kPackage, kWeekly, kMixed };
std::string_view Name(Way way);  // "on_demand"

struct Spread {
  double low = 0;  // nine in ten lie between low and high
  double median = 0;
  double high = 0;
};

struct Purchase {
  Way way = Way::kOnDemand;
  double package_hours = 0;
  int weekly_units = 0;
  double spot_part = 0;     // of what is left for it
  double spot_hours = 0;    // of the median month
  Spread cost;              // of a month
  std::vector<double> all;  // of each month drawn, in its order
};

struct MonthPlan {
  Spread hours;
  int peak_units = 0;
  std::vector<Purchase> ways;  // the cheapest on average first
};

inline constexpr int kMonthHours = 28 * 24;
inline constexpr int kDrawnMonths = 200;
// A tenth of the hours on spot machines is done twice: what is lost since the last checkpoint.
inline constexpr double kSpotLost = 0.1;

// The history, from its first hour on, as months: `kDrawnMonths` of them. Shorter than two weeks it
// is drawn by days. Without any it is a month without use.
std::vector<std::vector<double>> DrawMonths(const std::vector<double>& hourly, uint64_t seed);
// Of a workload that is only stated: so many hours a month, a quarter more or less, on so many
// units at once.
std::vector<std::vector<double>> StatedMonths(double unit_hours, int at_once, uint64_t seed);

MonthPlan PlanMonth(const std::vector<std::vector<double>>& months, double spot_part,
                    const PlanPrices& prices);

Spread SpreadOf(std::vector<double> values);

}  // namespace pinka::advise
