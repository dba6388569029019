#include "scheduler/core/sources.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/billing.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/rentals.h"

namespace pinka {
namespace {

UnitTime TimeOf(const Need& need) { return UnitTime::Of(need.units, need.time_limit); }

// What of the need its ceiling covers at a rate: no time where that is not worth a start.
Need Within(const Need& need, Rate rate) {
  Need within = need;
  if (!need.ceiling) return within;
  within.time_limit = CoveredTime(*need.ceiling, rate, need.units, need.time_limit);
  if (within.time_limit < std::min(need.time_limit, kSchedulingPeriod))
    within.time_limit = Duration();
  return within;
}

Blocked UsedUp(const State& state, const Need& need) {
  const Money left = std::max(*need.ceiling, Money());
  return {Reason::kBudget,
          fmt::format("has {} left of its --max-cost, too little for a minute",
                      FormatAmount(left, state.lab.currency)),
          Money()};
}

bool TooDear(const Need& need, Rate rate) { return need.max_rate > Rate() && rate > need.max_rate; }

std::string HourText(const State& state, Rate rate) {
  return FormatAmount(Money::Micros(rate.micros_per_unit_hour()), state.lab.currency);
}

Blocked AboveCap(const State& state, const Need& need, std::string_view source, Rate rate) {
  return {Reason::kPriceAboveCap,
          fmt::format("waits while a unit-hour of {} costs {}, above its --max-rate of {}", source,
                      HourText(state, rate), HourText(state, need.max_rate)),
          Money()};
}

Ask AskOf(const Need& need, Money money) {
  return {need.member, need.project, need.tier, money, TimeOf(need).millis(), need.units, 0};
}

bool MayUsePackages(const NodesOf& nodes, Wish wish) {
  return (wish == Wish::kAny || wish == Wish::kPackage) && nodes.Has(Source::kPackage);
}

// The sources of money that the wish comes down to, in order; none for packages only.
std::vector<Source> MoneySources(const State& state, const NodesOf& nodes, const Need& need) {
  if (need.wish == Wish::kPackage) return {};
  if (need.wish != Wish::kAny) {
    Source source = Source::kOnDemand;
    FromName(Name(need.wish), &source);
    return {source};
  }
  std::vector<Source> sources;
  for (Source source : {Source::kOwned, Source::kSpot, Source::kOnDemand}) {
    if (source == Source::kSpot && !need.again) continue;
    if (nodes.Has(source) && RateAt(state, need.tier, source, state.now)) sources.push_back(source);
  }
  if (sources.empty()) sources.push_back(Source::kOnDemand);
  return sources;
}

std::string NoNodes(const State& state, const Need& need, Source source) {
  return fmt::format("no node of tier {} is paid for as {}", TierName(state, need.tier),
                     Name(source));
}

std::string ShortOf(const State& state, const Need& need, PackageId package, Money reach) {
  const Money hold = Money::Micros(TimeOf(need).millis());
  return fmt::format("needs {} of package {}, {} within reach of {}: {} short",
                     FormatUnitHours(hold), package.value(), FormatUnitHours(reach),
                     MemberName(state, need.member), FormatUnitHours(hold - reach));
}

std::string NoPackage(const State& state, const Need& need) {
  return fmt::format("no package of tier {} that {} has a part in lasts for another {}",
                     TierName(state, need.tier), MemberName(state, need.member),
                     FormatDuration(need.time_limit));
}

// The packages that cover the need; else the one that lacks least says how much.
Choice ChoosePackages(const State& state, const Need& need) {
  Choice choice;
  const Money hold = Money::Micros(TimeOf(need).millis());
  Money most = -Money::Micros(1);
  for (PackageId id : PackagesInReach(state, need.member, need.tier, need.time_limit)) {
    const Rate rate = RateOf(state.packages.Get(id));
    if (TooDear(need, rate)) {
      if (most < Money())
        choice.blocked = AboveCap(state, need, fmt::format("package {}", id.value()), rate);
      continue;
    }
    const Money reach = InPackage(state, id, need.member);
    if (reach >= hold)
      choice.offers.push_back({Source::kPackage, AssetOf(id), rate, hold, need.time_limit});
    if (reach <= most) continue;
    most = reach;
    choice.blocked = {Reason::kPackagePortion, ShortOf(state, need, id, reach), Money()};
  }
  return choice;
}

Choice ChooseMoney(const State& state, const NodesOf& nodes, const Need& whole, Source source) {
  const auto rate = RateAt(state, whole.tier, source, state.now);
  if (!nodes.Has(source) || !rate) {
    const std::string text = nodes.Has(source)
                                 ? fmt::format("tier {} has no price", TierName(state, whole.tier))
                                 : NoNodes(state, whole, source);
    return {{}, {Reason::kTierForbidden, text, Money()}};
  }
  if (TooDear(whole, *rate)) return {{}, AboveCap(state, whole, Name(source), *rate)};
  if (!whole.ceiling && CostOverflows(TimeOf(whole), *rate))
    return {{}, {Reason::kBudget, "the price is beyond all money", Money()}};
  const Need need = Within(whole, *rate);
  if (need.time_limit <= Duration()) return {{}, UsedUp(state, whole)};
  const Money hold = Cost(TimeOf(need), *rate);
  if (auto crossed = CrossedLimit(state, AskOf(need, hold))) return {{}, *crossed};
  if (auto poor = NotCovered(state, need.member, need.project, need.tier, hold)) return {{}, *poor};
  return {{{source, kCurrency, *rate, hold, need.time_limit}}, {}};
}

// Why money could never pay for it, or nothing.
std::optional<Reply> NeverAffordable(const State& state, const NodesOf& nodes, const Need& whole,
                                     Source source) {
  const auto rate = RateAt(state, whole.tier, source, state.now);
  if (!nodes.Has(source)) {
    const std::string todo = whole.wish == Wish::kAny
                                 ? "; ask with --source for one that `pinka nodes` shows"
                                 : "; leave --source out, or ask for one that `pinka nodes` shows";
    return Refuse(Reason::kNoRate, NoNodes(state, whole, source) + todo);
  }
  if (!rate) {
    return Refuse(Reason::kNoRate, fmt::format("tier {} has no price yet; an admin must set one",
                                               TierName(state, whole.tier)));
  }
  const Need need = Within(whole, *rate);
  if (need.time_limit <= Duration()) {
    return Refuse(Reason::kBudget, fmt::format("a --max-cost of {} is too little for a minute at "
                                               "{} a unit-hour; allow more",
                                               FormatAmount(*whole.ceiling, state.lab.currency),
                                               HourText(state, *rate)));
  }
  const UnitTime time = TimeOf(need);
  if (CostOverflows(time, *rate)) {
    return Refuse(Reason::kBadRequest,
                  "the price of this request is beyond all money; ask for less");
  }
  const Money quote = Cost(time, *rate);
  if (auto hopeless = HopelessLimit(state, AskOf(need, quote))) {
    return Refuse(hopeless->reason,
                  hopeless->text + "; it could never run: ask for less time or fewer units");
  }
  const Money ever = EverInReach(state, need.member, need.project, need.tier);
  if (quote <= ever) return std::nullopt;
  return Refuse(
      Reason::kBudget,
      fmt::format("needs {}, available {}: {} more than all lots in reach will give; ask for less "
                  "time, a cheaper tier, or a deposit",
                  FormatAmount(quote, state.lab.currency), FormatAmount(ever, state.lab.currency),
                  FormatAmount(quote - ever, state.lab.currency)));
}

// The most hours that one package could ever give; none where no package could take the work.
std::optional<std::pair<PackageId, Money>> BestPackage(const State& state, const Need& need) {
  std::optional<std::pair<PackageId, Money>> best;
  for (const auto& [id, row] : state.packages.rows()) {
    if (row.tier != need.tier) continue;
    const Money ever = EverInPackage(state, id, need.member, need.time_limit);
    if (ever > Money() && (!best || ever > best->second)) best.emplace(id, ever);
  }
  return best;
}

// What the lab pays its provider at least for a whole machine of the tier.
Money MinBlock(const State& state, const Need& need, Source source) {
  const BillingRow* billing = BillingAt(state, need.tier, source, state.now);
  if (!billing) return Money();
  int32_t units = need.units;
  for (const auto& [id, node] : state.nodes.rows()) {
    const bool offers = node.tier == need.tier && node.source == source && !node.removed;
    if (offers) units = std::max(units, node.units);
  }
  return LeastBill(billing->rule, units);
}

}  // namespace

Need NeedOf(const State& state, const JobRow& job) {
  return {job.member,     job.project,        job.tier,     job.source,     job.units,
          job.time_limit, LeftOf(state, job), job.max_rate, !job.no_requeue};
}

NodesOf::NodesOf(const State& state, TierId tier) {
  const auto nodes = state.tier_nodes.find(tier);
  if (nodes == state.tier_nodes.end()) return;
  for (size_t n = 0; n < by_source_.size(); ++n) {
    by_source_[n] = nodes->second.by_source[n] > 0;
    none_ = none_ && !by_source_[n];
  }
}

bool NodesOf::Has(Source source) const {
  if (Any(source) || (none_ && source == Source::kOnDemand)) return true;
  return source == Source::kPackage && (none_ || Any(Source::kOnDemand));
}

bool NodesOf::MayRun(const NodeRow& node, Source source) const {
  if (node.source == source) return true;
  const bool instead = source == Source::kPackage && !Any(Source::kPackage);
  return instead && node.source == Source::kOnDemand;
}

Choice ChooseSource(const State& state, const Need& need) {
  const NodesOf nodes(state, need.tier);
  Choice hours;
  if (MayUsePackages(nodes, need.wish)) {
    hours = ChoosePackages(state, need);
    const bool any = !hours.offers.empty() || hours.blocked.reason != Reason::kOk;
    const auto crossed = any ? CrossedLimit(state, AskOf(need, Money())) : std::nullopt;
    if (crossed) return {{}, *crossed};  // money would count against it as well
  }
  const bool short_of_hours = hours.blocked.reason != Reason::kOk;
  const std::vector<Source> sources = MoneySources(state, nodes, need);
  Choice choice;
  Blocked poor;
  const auto take = [&](const std::vector<Offer>& offers) {
    choice.offers.insert(choice.offers.end(), offers.begin(), offers.end());
  };
  const bool any = need.wish == Wish::kAny;
  if (!any || sources.front() != Source::kOwned) take(hours.offers);
  for (Source source : sources) {
    const Choice money = ChooseMoney(state, nodes, need, source);
    take(money.offers);
    if (poor.reason == Reason::kOk) poor = money.blocked;
    if (any && source == Source::kOwned) take(hours.offers);
  }
  if (!choice.offers.empty()) return choice;
  choice.blocked = short_of_hours ? hours.blocked : poor;
  if (sources.empty() && !short_of_hours)
    choice.blocked = {Reason::kPackagePortion, NoPackage(state, need), Money()};
  if (short_of_hours && poor.reason != Reason::kOk && poor.reason != Reason::kTierForbidden) {
    choice.blocked = poor;
    choice.blocked.text += "; and " + hours.blocked.text;
  }
  return choice;
}

std::optional<Reply> NeverCovered(const State& state, const Need& need) {
  const NodesOf nodes(state, need.tier);
  const Money hold = Money::Micros(TimeOf(need).millis());
  std::optional<std::pair<PackageId, Money>> best;
  if (MayUsePackages(nodes, need.wish)) {
    best = BestPackage(state, need);
    const bool enough = best && best->second >= hold;
    const auto hopeless = best ? HopelessLimit(state, AskOf(need, Money())) : std::nullopt;
    if (enough && !hopeless) return std::nullopt;
    if (hopeless && need.wish == Wish::kPackage) {
      return Refuse(hopeless->reason,
                    hopeless->text + "; it could never run: ask for less time or fewer units");
    }
  }
  if (need.wish == Wish::kPackage) {
    return Refuse(
        Reason::kPackagePortion,
        (best ? ShortOf(state, need, best->first, best->second) : NoPackage(state, need)) +
            "; ask for less time or fewer units, or leave --source out");
  }
  std::optional<Reply> refused;
  for (Source source : MoneySources(state, nodes, need)) {
    auto why = NeverAffordable(state, nodes, need, source);
    if (!why) return std::nullopt;
    if (!refused) refused = std::move(why);
  }
  if (best) refused->detail += "; it " + ShortOf(state, need, best->first, best->second);
  return refused;
}

Priced PriceOf(const State& state, const Need& need) {
  Priced price;
  std::optional<Rate> rate;
  const Choice choice = ChooseSource(state, need);
  if (!choice.offers.empty()) {
    price.source = choice.offers.front().source;
    rate = choice.offers.front().rate;
  } else if (need.wish != Wish::kAny) {
    FromName(Name(need.wish), &price.source);
  }
  if (!rate && price.source == Source::kPackage) {
    for (const auto& [id, row] : state.packages.rows()) {
      const bool has = row.tier == need.tier && state.portions.Find({id, need.member});
      if (has && !rate) rate = RateOf(row);
    }
  }
  if (!rate && price.source != Source::kPackage)
    rate = RateAt(state, need.tier, price.source, state.now);
  if (!rate) return price;
  price.rate = *rate;
  price.min_block = MinBlock(state, need, price.source);
  const UnitTime time = TimeOf(price.source == Source::kPackage ? need : Within(need, *rate));
  if (!CostOverflows(time, *rate)) price.at_most = Cost(time, *rate);
  if (price.source == Source::kPackage) price.hours = Money::Micros(TimeOf(need).millis());
  return price;
}

std::optional<Reply> CannotGrow(const State& state, const AttemptRow& attempt, Duration limit,
                                AssetId asset, Money more) {
  if (asset == kCurrency) {
    auto poor = NotCovered(state, attempt.member, attempt.project, attempt.tier, more);
    if (!poor) return std::nullopt;
    return Refuse(Reason::kBudget, "the longer limit " + poor->text);
  }
  const PackageId id = PackageOf(asset);
  const Timestamp from = attempt.started_at ? attempt.started_at : state.now;
  if (from + limit > state.packages.Get(id).ends_at) {
    return Refuse(Reason::kPackagePortion,
                  fmt::format("a limit of {} goes past the end of package {}; ask for less",
                              FormatDuration(limit), id.value()));
  }
  const Money reach = InPackage(state, id, attempt.member);
  if (reach >= more) return std::nullopt;
  return Refuse(
      Reason::kPackagePortion,
      fmt::format("the longer limit needs {} more of package {}, {} within reach: {} short",
                  FormatUnitHours(more), id.value(), FormatUnitHours(reach),
                  FormatUnitHours(more - reach)));
}

}  // namespace pinka
