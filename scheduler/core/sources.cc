#include "scheduler/core/sources.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/packages.h"

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

bool MayUsePackages(Wish wish) { return wish == Wish::kAny || wish == Wish::kPackage; }

// The source of money that the wish comes down to; none for packages only.
std::optional<Source> MoneySource(Wish wish) {
  switch (wish) {
    case Wish::kAny:
    case Wish::kOnDemand:
      return Source::kOnDemand;
    case Wish::kOwned:
      return Source::kOwned;
    case Wish::kSpot:
      return Source::kSpot;
    case Wish::kTrial:
      return Source::kTrial;
    case Wish::kPackage:
      return std::nullopt;
  }
  return std::nullopt;
}

// Nodes do not say yet how they are paid for: all count as on demand, and a cheaper source is not
// to be had by asking for it.
bool HasNodes(Source source) { return source == Source::kOnDemand; }

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

// The first package that covers the need; else the one that lacks least says how much.
Choice ChoosePackage(const State& state, const Need& need) {
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
      return {Offer{Source::kPackage, AssetOf(id), rate, hold, need.time_limit}, {}};
    if (reach <= most) continue;
    most = reach;
    choice.blocked = {Reason::kPackagePortion, ShortOf(state, need, id, reach), Money()};
  }
  return choice;
}

Choice ChooseMoney(const State& state, const Need& whole, Source source) {
  const auto rate = RateAt(state, whole.tier, source, state.now);
  if (!HasNodes(source) || !rate) {
    const std::string text = HasNodes(source)
                                 ? fmt::format("tier {} has no price", TierName(state, whole.tier))
                                 : NoNodes(state, whole, source);
    return {std::nullopt, {Reason::kTierForbidden, text, Money()}};
  }
  if (TooDear(whole, *rate)) return {std::nullopt, AboveCap(state, whole, Name(source), *rate)};
  const Need need = Within(whole, *rate);
  if (need.time_limit <= Duration()) return {std::nullopt, UsedUp(state, whole)};
  const Money hold = Cost(TimeOf(need), *rate);
  if (auto crossed = CrossedLimit(state, AskOf(need, hold))) return {std::nullopt, *crossed};
  if (auto poor = NotCovered(state, need.member, need.project, need.tier, hold))
    return {std::nullopt, *poor};
  return {Offer{source, kCurrency, *rate, hold, need.time_limit}, {}};
}

// Why money could never pay for it, or nothing.
std::optional<Reply> NeverAffordable(const State& state, const Need& whole, Source source) {
  const auto rate = RateAt(state, whole.tier, source, state.now);
  if (!HasNodes(source))
    return Refuse(Reason::kNoRate, NoNodes(state, whole, source) + "; leave --source out");
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
  const auto history = state.billing.find({need.tier, source});
  if (history == state.billing.end()) return Money();
  const auto after =
      std::ranges::upper_bound(history->second, state.now, {}, &BillingRow::valid_from);
  if (after == history->second.begin()) return Money();
  const BillingRule& rule = std::prev(after)->rule;
  int32_t units = need.units;
  for (const auto& [id, node] : state.nodes.rows()) {
    const bool offers = node.tier == need.tier && node.source == source && !node.removed;
    if (offers) units = std::max(units, node.units);
  }
  const UnitTime block = UnitTime::Of(units, std::max(rule.minimum, rule.block));
  return CostOverflows(block, rule.rate) ? Money() : Cost(block, rule.rate);
}

}  // namespace

Need NeedOf(const State& state, const JobRow& job) {
  return {job.member, job.project,    job.tier,           job.source,
          job.units,  job.time_limit, LeftOf(state, job), job.max_rate};
}

Choice ChooseSource(const State& state, const Need& need) {
  Choice hours;
  if (MayUsePackages(need.wish)) {
    hours = ChoosePackage(state, need);
    const bool any = hours.offer || hours.blocked.reason != Reason::kOk;
    const auto crossed = any ? CrossedLimit(state, AskOf(need, Money())) : std::nullopt;
    if (crossed) return {std::nullopt, *crossed};  // money would count against it as well
    if (hours.offer) return hours;
  }
  const bool short_of_hours = hours.blocked.reason != Reason::kOk;
  const std::optional<Source> source = MoneySource(need.wish);
  if (!source) {
    if (!short_of_hours) hours.blocked = {Reason::kPackagePortion, NoPackage(state, need), Money()};
    return hours;
  }
  Choice money = ChooseMoney(state, need, *source);
  if (money.offer || !short_of_hours) return money;
  if (money.blocked.reason == Reason::kTierForbidden) return hours;
  money.blocked.text += "; and " + hours.blocked.text;
  return money;
}

std::optional<Reply> NeverCovered(const State& state, const Need& need) {
  const Money hold = Money::Micros(TimeOf(need).millis());
  std::optional<std::pair<PackageId, Money>> best;
  if (MayUsePackages(need.wish)) {
    best = BestPackage(state, need);
    const bool enough = best && best->second >= hold;
    const auto hopeless = best ? HopelessLimit(state, AskOf(need, Money())) : std::nullopt;
    if (enough && !hopeless) return std::nullopt;
    if (hopeless && need.wish == Wish::kPackage) {
      return Refuse(hopeless->reason,
                    hopeless->text + "; it could never run: ask for less time or fewer units");
    }
  }
  const std::optional<Source> source = MoneySource(need.wish);
  if (!source) {
    return Refuse(
        Reason::kPackagePortion,
        (best ? ShortOf(state, need, best->first, best->second) : NoPackage(state, need)) +
            "; ask for less time or fewer units, or leave --source out");
  }
  auto refused = NeverAffordable(state, need, *source);
  if (refused && best) refused->detail += "; it " + ShortOf(state, need, best->first, best->second);
  return refused;
}

Priced PriceOf(const State& state, const Need& need) {
  Priced price;
  std::optional<Rate> rate;
  const Choice choice = ChooseSource(state, need);
  if (choice.offer) {
    price.source = choice.offer->source;
    rate = choice.offer->rate;
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
