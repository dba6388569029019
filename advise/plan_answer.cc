#include "advise/plan_answer.h"

#include <algorithm>
#include <cmath>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka::advise {
namespace {

constexpr double kMicros = 1e6;
// The guide's ratios (4.1, 4.2), where nobody has an offer: spot a third, a week 30 % less.
constexpr double kUsualSpot = 1.0 / 3;
constexpr double kUsualWeekly = 168 * 0.7;
constexpr int kMostWork = 100;
constexpr double kMostHours = 1e7;
constexpr int kMostAtOnce = 4'096;

std::string Wire(double amount) {
  return FormatWireMoney(Money::Micros(std::llround(amount * kMicros)));
}
std::string Price(double amount) { return amount > 0 ? Wire(amount) : ""; }
double Whole(Rate rate) { return static_cast<double>(rate.micros_per_unit_hour()) / kMicros; }
std::string Part(double part) { return fmt::format("{:.2f}", part); }

struct Asked {
  PlanTier tier;
  PlanPrices prices;
  std::vector<std::string> assumed;
  std::vector<std::vector<double>> months;
};

Asked* FindTier(std::vector<Asked>& all, const std::string& name) {
  const auto it = std::ranges::find_if(all, [&](const Asked& a) { return a.tier.name == name; });
  return it == all.end() ? nullptr : &*it;
}

Status TakeOffer(const v1::PlanOffer& offer, std::vector<Asked>* all) {
  Asked* asked = FindTier(*all, offer.tier());
  if (!asked)
    return Invalid(fmt::format("an offer is for tier '{}', which has no work",
                               SanitizeForTerminal(offer.tier())));
  const StatusOr<Money> rate = ParseWireMoney(offer.rate());
  if (!rate.ok() || *rate <= Money())
    return Invalid(fmt::format("the price of {} is an amount above 0", asked->tier.name));
  const double price = static_cast<double>(rate->micros()) / kMicros;
  switch (offer.kind()) {
    case v1::PlanOffer::on_demand:
      asked->prices.on_demand = price;
      return OkStatus();
    case v1::PlanOffer::spot:
      asked->prices.spot = price;
      return OkStatus();
    case v1::PlanOffer::package:
      asked->prices.package = price;
      return OkStatus();
    case v1::PlanOffer::weekly:
      asked->prices.weekly = price;
      return OkStatus();
    default:
      return Invalid("an offer is of a kind: on_demand, spot, package or weekly");
  }
}

Status AssumeTheRest(Asked* asked) {
  PlanPrices& p = asked->prices;
  if (p.on_demand <= 0) {
    return Invalid(fmt::format(
        "tier {} has no rate on demand to compare with; give one with --offer {}:on_demand=PRICE",
        asked->tier.name, asked->tier.name));
  }
  if (p.spot <= 0) {
    p.spot = p.on_demand * kUsualSpot;
    asked->assumed.emplace_back("spot");
  }
  if (p.weekly <= 0) {
    p.weekly = p.on_demand * kUsualWeekly;
    asked->assumed.emplace_back("weekly");
  }
  return OkStatus();
}

StatusOr<std::vector<Asked>> Stated(const v1::AdvisePlanRequest& request,
                                    const std::vector<PlanTier>& tiers, uint64_t seed) {
  std::vector<Asked> all;
  if (request.work_size() > kMostWork)
    return Invalid(fmt::format("at most {} tiers are planned at once", kMostWork));
  for (const v1::PlanWork& work : request.work()) {
    if (!(work.unit_hours() > 0 && work.unit_hours() <= kMostHours))
      return Invalid("the hours of a month are above 0 and at most ten million");
    if (work.at_once() < 0 || work.at_once() > kMostAtOnce)
      return Invalid("units at once are 1 to 4096");
    if (FindTier(all, work.tier())) return Invalid("tier " + work.tier() + " is named twice");
    Asked& asked = all.emplace_back();
    const auto known =
        std::ranges::find_if(tiers, [&](const PlanTier& t) { return t.name == work.tier(); });
    if (known != tiers.end()) asked.tier = *known;
    asked.tier.name = work.tier();
    asked.tier.use.spot_part = known == tiers.end() ? 0.5 : known->use.spot_part;
    asked.months = StatedMonths(work.unit_hours(), work.at_once(), seed);
  }
  return all;
}

std::vector<Asked> FromHistory(std::vector<PlanTier> tiers, uint64_t seed) {
  std::vector<Asked> all;
  for (PlanTier& tier : tiers) {
    if (std::ranges::all_of(tier.use.units, [](double h) { return h <= 0; })) continue;
    Asked& asked = all.emplace_back();
    asked.months = DrawMonths(tier.use.units, seed);
    asked.tier = std::move(tier);
  }
  return all;
}

void Fill(const Spread& cost, v1::PlanCost* out) {
  out->set_cost(Wire(cost.median));
  out->set_low(Wire(cost.low));
  out->set_high(Wire(cost.high));
}

void Fill(const Purchase& buy, v1::PlanCost* out) {
  out->set_plan(std::string(Name(buy.way)));
  Fill(buy.cost, out);
  out->set_package_hours(Wire(buy.package_hours));
  out->set_weekly_units(buy.weekly_units);
  out->set_spot_hours(Wire(buy.spot_hours));
}

// "2 units by the week, 120 hours as a package, the rest on demand"
std::string What(const Purchase& buy) {
  std::vector<std::string> parts;
  if (buy.weekly_units > 0)
    parts.push_back(fmt::format("{} {} by the week", buy.weekly_units,
                                buy.weekly_units == 1 ? "unit" : "units"));
  if (buy.package_hours > 0)
    parts.push_back(fmt::format("{:.0f} hours as a package", buy.package_hours));
  if (buy.spot_hours >= 0.5)
    parts.push_back(fmt::format("about {:.0f} hours on spot machines", buy.spot_hours));
  if (parts.empty()) return "all of it on demand";
  std::string text;
  for (const std::string& part : parts) text += part + ", ";
  return text + "the rest on demand";
}

std::string Why(const MonthPlan& plan, const PlanPrices& p) {
  const Purchase& best = plan.ways.front();
  std::string why = What(best);
  if (p.weekly > 0 && best.weekly_units == 0)
    why += fmt::format("; no unit is busy for {:.0f} hours a week", p.weekly / p.on_demand);
  if (p.package > 0 && best.package_hours > 0)
    why += fmt::format("; so many hours are used with a probability of {:.0f} %",
                       100 * p.package / p.on_demand);
  return why;
}

void Fill(const Asked& asked, const MonthPlan& plan, v1::TierPlan* out) {
  const PlanPrices& p = asked.prices;
  out->set_tier(asked.tier.name);
  out->set_unit_hours(Wire(plan.hours.median));
  out->set_low_hours(Wire(plan.hours.low));
  out->set_high_hours(Wire(plan.hours.high));
  out->set_peak_units(plan.peak_units);
  out->set_may_be_spot(Part(asked.tier.use.spot_part));
  out->set_on_demand(Price(p.on_demand));
  out->set_spot(Price(p.spot));
  out->set_package(Price(p.package));
  out->set_weekly(Price(p.weekly));
  for (const std::string& kind : asked.assumed) out->add_assumed(kind);
  out->set_weekly_pays_from(fmt::format("{:.1f}", p.weekly / p.on_demand));
  if (p.package > 0) out->set_package_pays_from(Part(p.package / p.on_demand));
  out->set_spot_pays_to(Part(std::max(1 - p.spot / p.on_demand, 0.0)));
  for (const Purchase& buy : plan.ways) Fill(buy, out->add_costs());
  out->set_why(Why(plan, p));
}

void AddTo(const std::vector<double>& costs, std::vector<double>* total) {
  total->resize(std::max(total->size(), costs.size()), 0);
  for (size_t i = 0; i < costs.size(); ++i) (*total)[i] += costs[i];
}

}  // namespace

StatusOr<v1::AdvisePlanResponse> AdvisePlan(const v1::AdvisePlanRequest& request,
                                            const std::string& currency,
                                            std::vector<PlanTier> tiers) {
  const uint64_t seed = request.seed() == 0 ? 1 : request.seed();
  StatusOr<std::vector<Asked>> all =
      request.work().empty() ? StatusOr<std::vector<Asked>>(FromHistory(std::move(tiers), seed))
                             : Stated(request, tiers, seed);
  if (!all.ok()) return all.status();
  if (all->empty())
    return Invalid("nothing has run in that time to plan by; state a workload with --work");
  v1::AdvisePlanResponse response;
  response.set_currency(currency);
  std::vector<double> on_demand, advised;
  for (Asked& asked : *all) {
    asked.prices.on_demand = Whole(asked.tier.on_demand);
    asked.prices.spot = Whole(asked.tier.spot);
  }
  for (const v1::PlanOffer& offer : request.offers()) {
    if (Status s = TakeOffer(offer, &*all); !s.ok()) return s;
  }
  for (Asked& asked : *all) {
    if (Status s = AssumeTheRest(&asked); !s.ok()) return s;
    const MonthPlan plan = PlanMonth(asked.months, asked.tier.use.spot_part, asked.prices);
    Fill(asked, plan, response.add_tiers());
    AddTo(plan.ways.front().all, &advised);
    AddTo(std::ranges::find(plan.ways, Way::kOnDemand, &Purchase::way)->all, &on_demand);
  }
  for (const auto& [name, costs] :
       {std::pair("on_demand", &on_demand), std::pair("advised", &advised)}) {
    v1::PlanCost* total = response.add_totals();
    total->set_plan(name);
    Fill(SpreadOf(*costs), total);
  }
  response.add_notes(request.work().empty()
                         ? "months are drawn from the weeks of the history, nine in ten lie in the "
                           "range; a busier project is not in it"
                         : "a stated month may turn out a quarter larger or smaller");
  response.add_notes("on spot machines a tenth of the hours is reckoned as done twice");
  return response;
}

}  // namespace pinka::advise
