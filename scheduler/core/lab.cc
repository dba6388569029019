// apply: the lab file's difference to what is, told and then made. What it does not name stays.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/lab_values.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/members.h"
#include "scheduler/core/nodes.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/task.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// Collects the lines of the difference; `make` says whether changes are made as well.
struct Applier {
  State& state;
  const ApplyLab& command;
  std::vector<std::string> lines;
  bool make = false;

  void Say(std::string line) { lines.push_back(std::move(line)); }
};

std::string FormatNight(const LabRow& lab) {
  return fmt::format("{:02}:{:02}-{:02}:{:02}", lab.night_from_min / 60, lab.night_from_min % 60,
                     lab.night_to_min / 60, lab.night_to_min % 60);
}

void ApplyLabRow(Applier& a) {
  if (!a.command.change.set_lab) return;
  const LabRow& wanted = a.command.change.lab;
  LabRow next = a.state.lab;
  next.name = wanted.name;
  next.currency = wanted.currency;
  next.timezone = wanted.timezone;
  next.openness = wanted.openness;
  next.confirm_above = wanted.confirm_above;
  next.half_life_h = wanted.half_life_h;
  next.night_from_min = wanted.night_from_min;
  next.night_to_min = wanted.night_to_min;
  if (next == a.state.lab) return;
  if (next.name != a.state.lab.name)
    a.Say(fmt::format("lab: name {} -> {}", a.state.lab.name, next.name));
  if (next.currency != a.state.lab.currency) {
    a.Say(fmt::format("lab: currency {} -> {}", a.state.lab.currency, next.currency));
  }
  if (next.timezone != a.state.lab.timezone) {
    a.Say(fmt::format("lab: timezone {} -> {}", a.state.lab.timezone, next.timezone));
  }
  if (next.openness != a.state.lab.openness) {
    a.Say(fmt::format("lab: openness {} -> {}", Name(a.state.lab.openness), Name(next.openness)));
  }
  if (next.confirm_above != a.state.lab.confirm_above) {
    a.Say(fmt::format("lab: confirm_above {} -> {}", FormatMoney(a.state.lab.confirm_above),
                      FormatMoney(next.confirm_above)));
  }
  if (next.half_life_h != a.state.lab.half_life_h) {
    a.Say(fmt::format("lab: half_life {} h -> {} h", a.state.lab.half_life_h, next.half_life_h));
  }
  const std::string night = FormatNight(next);
  if (night != FormatNight(a.state.lab))
    a.Say(fmt::format("lab: night {} -> {}, from the one after those in the calendar on",
                      FormatNight(a.state.lab), night));
  if (!a.make) return;
  const bool half_life = next.half_life_h != a.state.lab.half_life_h;
  a.state.lab = next;
  a.state.lab_touched = true;
  if (half_life) HalfLifeChanged(a.state);
}

std::string DescribeTier(const TierRow& tier) {
  if (tier.absent) return "taken out";
  return fmt::format(
      "unit {} gpus {} cpus {}, default {}, at most {}{}{}", tier.unit_gpus, tier.unit_cpus,
      tier.unit_memory > 0 ? FormatMemory(tier.unit_memory) : "any memory",
      FormatDuration(tier.default_time), FormatDuration(tier.max_time),
      tier.advice_refuses ? ", advice refuses" : "",
      tier.on_demand_after > 0 ? fmt::format(", on demand after {} reclaims", tier.on_demand_after)
                               : "");
}

void ApplyRates(Applier& a, TierId tier, const LabChange::Tier& wanted) {
  for (const RateRow& rate : wanted.rates) {
    const auto now = tier ? RateAt(a.state, tier, rate.source, a.state.now) : std::nullopt;
    if (now && *now == rate.rate) continue;
    const std::string to = FormatWireMoney(Money::Micros(rate.rate.micros_per_unit_hour()));
    const std::string from =
        now ? FormatWireMoney(Money::Micros(now->micros_per_unit_hour())) : std::string("none");
    a.Say(fmt::format("tier {}: {} rate {} -> {} per unit-hour", wanted.row.name, Name(rate.source),
                      from, to));
    if (!a.make) continue;
    RateRow row = rate;
    row.tier = tier;
    row.valid_from = a.state.now;
    auto& history = a.state.rates[{tier, rate.source}];
    // Two changes in one instant: the later apply waits for the next microsecond.
    if (!history.empty() && history.back().valid_from >= row.valid_from) {
      row.valid_from = history.back().valid_from + Duration::Micros(1);
    }
    history.push_back(row);
    a.state.out.rates.push_back(row);
  }
}

bool SameUnit(const TierRow& a, const TierRow& b) {
  return a.unit_gpus == b.unit_gpus && a.unit_cpus == b.unit_cpus && a.unit_memory == b.unit_memory;
}

void ApplyTier(Applier& a, const LabChange::Tier& wanted) {
  auto it = a.state.tier_by_name.find(wanted.row.name);
  const bool known = it != a.state.tier_by_name.end();
  TierRow next = wanted.row;
  TierId id;
  next.gate = TierId();  // by name, when all tiers are there
  if (known) {
    id = next.id = it->second;
    const TierRow& before = a.state.tiers.Get(id);
    next.gate = before.gate;
    next.gate_within = before.gate_within;
    next.gate_refuses = before.gate_refuses;
    if (!(next == before)) {
      a.Say(fmt::format("tier {}: {} -> {}", next.name, DescribeTier(before), DescribeTier(next)));
      const bool unit = !SameUnit(before, next);
      if (a.make) a.state.tiers.Put(id, next);
      if (a.make && unit) UnitChanged(a.state, id);
    }
  } else if (next.absent) {
    return;
  } else {
    a.Say(fmt::format("tier {}: new, {}", next.name, DescribeTier(next)));
    if (a.make) {
      id = next.id = TierId(TakeId(a.state));
      a.state.tiers.Put(id, next);
      a.state.tier_by_name[next.name] = id;
    }
  }
  ApplyRates(a, id, wanted);
  for (std::string& line : ApplyBilling(a.state, id, wanted, a.make)) a.Say(std::move(line));
}

std::string DescribeGate(const std::string& gate, const TierRow& tier) {
  if (gate.empty()) return "none";
  return fmt::format("{} a success on {} within {}", tier.gate_refuses ? "asks for" : "would like",
                     gate, FormatDuration(tier.gate_within));
}

// In a dry run a new tier of the file has no row yet: told as what it will be.
void ApplyGate(Applier& a, const LabChange::Tier& wanted) {
  if (wanted.row.absent) return;
  auto known = a.state.tier_by_name.find(wanted.row.name);
  TierRow row = known == a.state.tier_by_name.end() ? TierRow() : a.state.tiers.Get(known->second);
  const std::string before = DescribeGate(TierName(a.state, row.gate), row);
  row.gate_within = wanted.row.gate_within;
  row.gate_refuses = wanted.row.gate_refuses;
  const std::string after = DescribeGate(wanted.gate, row);
  if (after == before) return;
  a.Say(fmt::format("tier {}: gate {} -> {}", wanted.row.name, before, after));
  if (!a.make) return;
  row.gate = wanted.gate.empty() ? TierId() : a.state.tier_by_name.at(wanted.gate);
  a.state.tiers.Put(row.id, row);
}

void ApplyMember(Applier& a, const LabChange::Member& wanted) {
  auto it = a.state.member_by_name.find(wanted.name);
  if (it == a.state.member_by_name.end() || a.state.members.Get(it->second).removed) {
    a.Say(fmt::format("member {}: new, share {}{}", wanted.name, wanted.share,
                      wanted.admin ? ", admin" : ""));
  } else {
    const MemberRow& row = a.state.members.Get(it->second);
    if (row.share != wanted.share)
      a.Say(fmt::format("member {}: share {} -> {}", row.name, row.share, wanted.share));
    if (row.admin != wanted.admin) {
      a.Say(fmt::format("member {}: {}", row.name,
                        wanted.admin ? "becomes admin" : "is no admin any more"));
    }
  }
  if (a.make) PutMember(a.state, wanted.name, wanted.share, wanted.admin, a.command.actor.member);
}

void ApplyProject(Applier& a, const LabChange::Project& wanted) {
  auto it = a.state.project_by_name.find(wanted.name);
  ProjectRow row;
  if (it != a.state.project_by_name.end()) row = a.state.projects.Get(it->second);
  ProjectRow next = row;
  next.name = wanted.name;
  next.share = wanted.share;
  next.members.clear();
  for (const std::string& name : wanted.members) {
    auto member = a.state.member_by_name.find(name);
    // In a dry run a member of the same file does not exist yet.
    next.members.push_back(member == a.state.member_by_name.end() ? -1 : member->second.value());
  }
  std::ranges::sort(next.members);
  if (row.id && next == row) return;
  a.Say(fmt::format("project {}: {}, {} member(s){}", wanted.name, row.id ? "changed" : "new",
                    next.members.size(),
                    next.share > 0 ? fmt::format(", share {}", next.share) : ""));
  if (!a.make) return;
  if (!next.id) next.id = ProjectId(TakeId(a.state));
  a.state.projects.Put(next.id, next);
  a.state.project_by_name[next.name] = next.id;
}

// The scope as written, resolved. False where a name is not known.
bool ResolveScope(const State& state, const std::string& text, LimitRow* row) {
  if (text.empty() || text == "lab") {
    row->scope = OwnedByLab();
    return true;
  }
  constexpr std::string_view kProject = "project:";
  if (text.starts_with(kProject)) {
    const std::string rest = text.substr(kProject.size());
    const size_t slash = rest.find('/');
    auto project = state.project_by_name.find(rest.substr(0, slash));
    if (project == state.project_by_name.end()) return false;
    row->scope = OwnedBy(project->second);
    if (slash == std::string::npos) return true;
    auto member = state.member_by_name.find(rest.substr(slash + 1));
    if (member == state.member_by_name.end()) return false;
    row->member = member->second;
    return true;
  }
  auto member = state.member_by_name.find(text);
  if (member == state.member_by_name.end()) return false;
  row->scope = OwnedBy(member->second);
  return true;
}

const LimitRow* SamePlace(const State& state, const LimitRow& wanted) {
  for (const auto& [id, row] : state.limits.rows()) {
    const bool same = !row.absent && row.resource == wanted.resource && row.of == wanted.of &&
                      row.scope == wanted.scope && row.member == wanted.member &&
                      row.tier == wanted.tier && row.period == wanted.period &&
                      row.starts_at == wanted.starts_at && row.until == wanted.until;
    if (same) return &row;
  }
  return nullptr;
}

std::string LimitAmount(const State& state, const LimitRow& row) {
  if (row.unlimited) return "unlimited";
  if (row.resource == LimitResource::kMoney)
    return FormatAmount(Money::Micros(row.amount), state.lab.currency);
  return std::to_string(row.amount);
}

// "", ", told at 50, 80 %, nothing new from 95 %".
std::string LimitSteps(const LimitRow& row) {
  std::string text;
  if (!row.notify_at.empty()) text += fmt::format(", told at {} %", fmt::join(row.notify_at, ", "));
  if (row.block_at > 0) text += fmt::format(", nothing new from {} %", row.block_at);
  return text;
}

void ApplyPayer(Applier& a, const PayerRow& wanted) {
  const PayerRow* row = a.state.payers.Find(wanted.reason);
  const Payer now = row ? row->payer : RuleOf(wanted.reason).payer;
  if (now == wanted.payer) return;
  a.Say(fmt::format("payer of {}: {} -> {}", Name(wanted.reason), Name(now), Name(wanted.payer)));
  if (a.make) a.state.payers.Put(wanted.reason, wanted);
}

std::string DescribeCard(const CardRow* card) {
  if (!card || card->absent) return "as the catalogue has it";
  const auto yuan = [](Rate rate) {
    return FormatWireMoney(Money::Micros(rate.micros_per_unit_hour()));
  };
  std::string text = card->low > Rate() ? yuan(card->low) : std::string("no price");
  if (card->high > Rate()) text += " to " + yuan(card->high);
  if (!card->priced_on.empty()) text += " of " + card->priced_on;
  if (!card->observation.empty()) text += ", seen: " + card->observation;
  return text;
}

void ApplyCard(Applier& a, const CardRow& wanted) {
  const CardRow* now = a.state.cards.Find(wanted.name);
  if (now ? *now == wanted : wanted.absent) return;
  a.Say(fmt::format("card {}: {} -> {}", wanted.name, DescribeCard(now), DescribeCard(&wanted)));
  if (a.make) a.state.cards.Put(wanted.name, wanted);
}

void ApplyLimit(Applier& a, const LabChange::Limit& wanted) {
  LimitRow row = wanted.row;
  const bool known_scope = ResolveScope(a.state, wanted.scope, &row);
  bool known = known_scope;  // in a dry run, names of the same file are not
  if (!wanted.tier.empty()) {
    auto tier = a.state.tier_by_name.find(wanted.tier);
    if (tier != a.state.tier_by_name.end()) {
      row.tier = tier->second;
    } else {
      known = false;
    }
  }
  const LimitRow* same = known ? SamePlace(a.state, row) : nullptr;
  if (row.absent && known && !same) return;
  const bool as_is = same && same->amount == row.amount && same->unlimited == row.unlimited &&
                     same->notify_at == row.notify_at && same->block_at == row.block_at;
  if (as_is && !row.absent) return;
  const std::string title = fmt::format("limit {} of {} for {}", Name(row.resource), Name(row.of),
                                        wanted.scope.empty() ? "lab" : wanted.scope);
  a.Say(fmt::format("{}: {} -> {}", title,
                    same ? LimitAmount(a.state, *same) + LimitSteps(*same) : "none",
                    row.absent ? "none" : LimitAmount(a.state, row) + LimitSteps(row)));
  if (!a.make) return;
  row.id = same ? same->id : LimitId(TakeId(a.state));
  a.state.limits.Put(row.id, row);
}

// Work is counted, priced and packed by its tier's unit, which stays while any of it is there: what
// waits was given so many of them at its submit, what runs pays for so many.
std::optional<Reply> UnitInUse(const State& state, const LabChange& change) {
  for (const LabChange::Tier& wanted : change.tiers) {
    const auto known = state.tier_by_name.find(wanted.row.name);
    if (known == state.tier_by_name.end()) continue;
    if (SameUnit(state.tiers.Get(known->second), wanted.row)) continue;
    const auto jobs = std::ranges::count_if(state.jobs.rows(), [&](const auto& entry) {
      return entry.second.tier == known->second && !IsTerminal(entry.second.state);
    });
    if (jobs == 0) continue;
    return Refuse(Reason::kConflict,
                  fmt::format("tier {}: its unit stays while jobs wait or run there ({} do); let "
                              "them end, or write a tier of another name",
                              wanted.row.name, jobs));
  }
  return std::nullopt;
}

}  // namespace

Reply Do(State& state, const ApplyLab& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin)
    return Refuse(Reason::kNotPermitted, "the lab file is applied by admins");
  if (auto bad = BadLab(state, command.change)) return *bad;
  if (auto in_use = UnitInUse(state, command.change)) return *in_use;
  Applier apply{state, command, {}, !command.dry_run};
  ApplyLabRow(apply);
  for (const auto& tier : command.change.tiers) ApplyTier(apply, tier);
  for (const auto& tier : command.change.tiers) ApplyGate(apply, tier);
  for (const auto& member : command.change.members) ApplyMember(apply, member);
  for (const auto& project : command.change.projects) ApplyProject(apply, project);
  for (const auto& limit : command.change.limits) ApplyLimit(apply, limit);
  for (const PayerRow& payer : command.change.payers) ApplyPayer(apply, payer);
  for (const CardRow& card : command.change.cards) ApplyCard(apply, card);
  Reply reply;
  reply.lines = std::move(apply.lines);
  reply.count = static_cast<int64_t>(reply.lines.size());
  if (command.dry_run) return reply;
  for (const std::string& line : reply.lines)
    Log(state, "lab", state.lab.name, "applied", line, command.actor.member);
  for (const auto& [id, tier] : state.tiers.rows()) RequeueTier(state, id);
  PlanAll(state);
  Remember(state, command.actor, command.request, false, 0, reply.count);
  return reply;
}

}  // namespace pinka
