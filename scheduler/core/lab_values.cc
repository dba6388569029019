#include "scheduler/core/lab_values.h"

#include <set>

#include "fmt/format.h"
#include "scheduler/core/end_reason.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// Names that neither the lab nor the file knows.
std::optional<Reply> UnknownNames(const State& state, const LabChange& change) {
  std::set<std::string> members;
  std::set<std::string> projects;
  std::set<std::string> tiers;
  for (const auto& [name, id] : state.member_by_name) members.insert(name);
  for (const auto& [name, id] : state.project_by_name) projects.insert(name);
  for (const auto& [name, id] : state.tier_by_name) tiers.insert(name);
  for (const auto& m : change.members) members.insert(m.name);
  for (const auto& p : change.projects) projects.insert(p.name);
  for (const auto& t : change.tiers) tiers.insert(t.row.name);
  for (const auto& project : change.projects) {
    for (const std::string& name : project.members) {
      if (members.contains(name)) continue;
      return Refuse(Reason::kNoSuchMember,
                    fmt::format("project {} names {}, who is no member; add a [[member]]",
                                project.name, name));
    }
  }
  for (const auto& tier : change.tiers) {
    if (tier.gate.empty() || tiers.contains(tier.gate)) continue;
    return Refuse(Reason::kNoSuchTier,
                  fmt::format("tier {} has a gate of tier {}, which does not exist", tier.row.name,
                              tier.gate));
  }
  for (const auto& limit : change.limits) {
    if (!limit.tier.empty() && !tiers.contains(limit.tier)) {
      return Refuse(Reason::kNoSuchTier,
                    fmt::format("a [[limit]] names tier {}, which does not exist", limit.tier));
    }
    const std::string& scope = limit.scope;
    const bool project = scope.starts_with("project:");
    const std::string rest = project ? scope.substr(8) : scope;
    const size_t slash = project ? rest.find('/') : std::string::npos;
    const bool ok =
        scope.empty() || scope == "lab" ||
        (project ? projects.contains(rest.substr(0, slash)) &&
                       (slash == std::string::npos || members.contains(rest.substr(slash + 1)))
                 : members.contains(scope));
    if (!ok) {
      return Refuse(Reason::kNoSuchAccount,
                    fmt::format("a [[limit]] has scope \"{}\"; use lab, a member, project:NAME or "
                                "project:NAME/MEMBER",
                                scope));
    }
  }
  return std::nullopt;
}

// What is wrong with the thresholds of a limit, or "".
std::string BadSteps(const LimitRow& row) {
  int32_t before = 0;
  for (const int32_t percent : row.notify_at) {
    if (percent <= before || percent > 1000)
      return "notify_at is percents from 1 to 1000, rising, each once";
    before = percent;
  }
  if (row.block_at < 0 || row.block_at > 100) return "block_at is a percent from 1 to 100";
  const bool steps = !row.notify_at.empty() || row.block_at > 0;
  return row.unlimited && steps ? "what is unlimited has no thresholds" : "";
}

// Values that would poison the books or the arithmetic; the file's reader says where they stand.
std::optional<Reply> BadValues(const LabChange& change) {
  const auto bad = [](std::string text) { return Refuse(Reason::kBadRequest, std::move(text)); };
  if (change.set_lab && (change.lab.half_life_h < 1 || change.lab.half_life_h > 90 * 24))
    return bad("half_life is between 1h and 90d");
  const auto minute = [](int32_t m) { return m >= 0 && m < 24 * 60; };
  if (change.set_lab && (!minute(change.lab.night_from_min) || !minute(change.lab.night_to_min) ||
                         change.lab.night_from_min == change.lab.night_to_min))
    return bad("night is two different times of the day, like 23:00-08:00");
  for (const auto& tier : change.tiers) {
    const TierRow& row = tier.row;
    const bool counts = row.unit_gpus >= 0 && row.unit_cpus >= 0 && row.unit_memory >= 0;
    if (row.name.empty() || !counts)
      return bad("a tier needs a name and a unit that is not negative");
    if (row.default_time <= Duration() || row.max_time < row.default_time)
      return bad(fmt::format("tier {}: 0 < default time <= longest time", row.name));
    if (row.max_time > Duration::Days(3660) || row.staging_limit < Duration() ||
        row.fence < Duration())
      return bad(fmt::format("tier {}: times are between 0 and 10 years", row.name));
    if (row.on_demand_after < 0)
      return bad(fmt::format("tier {}: on_demand_after is 0 or more", row.name));
    if (tier.gate == row.name || row.gate_within <= Duration() ||
        row.gate_within > Duration::Days(3660))
      return bad(fmt::format("tier {}: a gate is another tier, within 10 years", row.name));
    for (const RateRow& rate : tier.rates) {
      if (rate.rate < Rate()) return bad(fmt::format("tier {}: a rate is 0 or more", row.name));
    }
    for (const BillingRow& billing : tier.billing) {
      if (const std::string wrong = BadRule(billing.rule); !wrong.empty())
        return bad(fmt::format("tier {}: {}", row.name, wrong));
    }
  }
  for (const auto& member : change.members) {
    if (member.name.empty() || member.share < 0)
      return bad("a member needs a name and a share of 0 or more");
  }
  for (const auto& project : change.projects) {
    if (project.name.empty() || project.share < 0)
      return bad("a project needs a name and a share of 0 or more");
  }
  for (const auto& limit : change.limits) {
    if (limit.row.amount < 0) return bad("a limit is 0 or more");
    if (const std::string wrong = BadSteps(limit.row); !wrong.empty()) return bad(wrong);
  }
  for (const CardRow& card : change.cards) {
    if (card.name.empty() || card.low < Rate() || card.high < Rate())
      return bad("a card needs a name, and prices of 0 or more");
  }
  for (const PayerRow& row : change.payers) {
    if (!PayerIsOpen(row.reason))
      return bad(
          fmt::format("who pays {} is not the lab's to say: the member's own end is the "
                      "member's, and what never ran costs nothing",
                      Name(row.reason)));
    if (row.payer == Payer::kNobody)
      return bad(fmt::format("somebody pays {}: member, lab or checkpoint", Name(row.reason)));
  }
  return std::nullopt;
}

// A dated limit counts whole days of the lab's calendar, and only days that are still known.
std::optional<Reply> BadDates(const State& state, const LabChange& change) {
  const auto bad = [](std::string text) { return Refuse(Reason::kBadRequest, std::move(text)); };
  const auto starts_day = [&](Timestamp at) {
    const PeriodRow* day = PeriodAt(state, Period::kDay, at);
    return day && day->start_at == at;
  };
  for (const LabChange::Limit& limit : change.limits) {
    const LimitRow& row = limit.row;
    const bool dated = row.period == Period::kDated;
    if (row.period == Period::kNight) return bad("a limit has no period night");
    if (!dated && row.starts_at) return bad("only a limit of period dated has a start");
    if (!dated || row.absent) continue;
    if (!row.starts_at || row.until <= row.starts_at)
      return bad("a dated limit goes from one day to a later one");
    if (row.until <= state.now) continue;  // over: it stays what it was
    if (row.starts_at < state.now - kKeepSpend && row.starts_at < SpendKeptFrom(state))
      return bad("a dated limit begins at most 75 days back: older days are not counted any more");
    const bool ahead = PeriodAt(state, Period::kDay, row.until - Duration::Micros(1)) == nullptr;
    if (ahead || !starts_day(row.starts_at))
      return bad("a dated limit begins with a day of the lab's calendar, which reaches 25 months");
    const PeriodRow* last = PeriodAt(state, Period::kDay, row.until - Duration::Micros(1));
    if (last->end_at != row.until)
      return bad("a dated limit ends where a day of the lab's calendar does");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Reply> BadLab(const State& state, const LabChange& change) {
  if (auto bad = BadValues(change)) return bad;
  if (auto bad = BadDates(state, change)) return bad;
  return UnknownNames(state, change);
}

}  // namespace pinka
