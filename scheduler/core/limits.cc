#include "scheduler/core/limits.h"

#include <algorithm>
#include <tuple>

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka {
namespace {

// How near a scope is to a member: member in project 0, member 1, project 2, lab 3.
int Distance(const LimitRow& limit) {
  if (limit.scope.kind == OwnerKind::kProject) return limit.member ? 0 : 2;
  return limit.scope.kind == OwnerKind::kMember ? 1 : 3;
}

bool Applies(const State& state, const LimitRow& limit, MemberId member, ProjectId project,
             TierId tier) {
  if (limit.absent || (limit.until && limit.until <= state.now)) return false;
  if (limit.tier && limit.tier != tier) return false;
  switch (limit.scope.kind) {
    case OwnerKind::kLab:
      return true;
    case OwnerKind::kMember:
      return limit.scope == OwnedBy(member);
    case OwnerKind::kProject:
      return project && limit.scope == OwnedBy(project) &&
             (!limit.member || limit.member == member);
  }
  return false;
}

// Whether use by (member, project, tier) counts against `limit` as seen by `viewer`.
bool Counts(const LimitRow& limit, MemberId viewer, MemberId member, ProjectId project,
            TierId tier) {
  if (limit.tier && limit.tier != tier) return false;
  if (limit.scope.kind == OwnerKind::kProject && limit.scope != OwnedBy(project)) return false;
  if (limit.scope.kind == OwnerKind::kMember && limit.scope != OwnedBy(member)) return false;
  if (limit.member && limit.member != member) return false;
  return limit.of == LimitOf::kAll || member == viewer;
}

Timestamp PeriodStart(const State& state, Period period) {
  if (period == Period::kNone) return {};
  const PeriodRow* row = PeriodAt(state, period, state.now);
  return row ? row->start_at : Timestamp();
}

int64_t Part(const LimitRow& limit, const Ask& ask) {
  switch (limit.resource) {
    case LimitResource::kMoney:
      return ask.money.micros();
    case LimitResource::kRunningUnits:
      return ask.units;
    case LimitResource::kQueuedTasks:
      return ask.tasks;
    case LimitResource::kUnitHours:
      return ask.unit_ms;
  }
  return 0;
}

std::string Amount(const State& state, const LimitRow& limit, int64_t amount) {
  switch (limit.resource) {
    case LimitResource::kMoney:
      return FormatAmount(Money::Micros(amount), state.lab.currency);
    case LimitResource::kUnitHours:
      return fmt::format("{} unit-hours",
                         FormatMoney(Money::Micros(MulDivRound(amount, 1'000'000, 3'600'000))));
    case LimitResource::kRunningUnits:
      return fmt::format("{} units", amount);
    case LimitResource::kQueuedTasks:
      return fmt::format("{} tasks", amount);
  }
  return "";
}

Reason ReasonOf(const LimitRow& limit) {
  if (limit.resource == LimitResource::kQueuedTasks) return Reason::kQueuedTasks;
  if (limit.resource != LimitResource::kRunningUnits) return Reason::kBudget;
  return limit.scope.kind == OwnerKind::kProject && !limit.member ? Reason::kProjectMaxRunning
                                                                  : Reason::kMemberMaxRunning;
}

std::string Title(const State& state, const LimitRow& limit) {
  std::string text =
      fmt::format("the {} limit of {}", Name(limit.resource), LimitScope(state, limit));
  if (limit.of == LimitOf::kEach) text += " for each member";
  if (limit.tier) text += " on " + TierName(state, limit.tier);
  if (limit.period != Period::kNone) text += fmt::format(" per {}", Name(limit.period));
  return text;
}

Blocked Describe(const State& state, const LimitRow& limit, int64_t asked, int64_t used) {
  Blocked blocked;
  blocked.reason = ReasonOf(limit);
  const int64_t left = std::max<int64_t>(limit.amount - used, 0);
  blocked.text = fmt::format("needs {}, but {} is {} and leaves {}", Amount(state, limit, asked),
                             Title(state, limit), Amount(state, limit, limit.amount),
                             Amount(state, limit, left));
  if (limit.resource == LimitResource::kMoney) blocked.short_by = Money::Micros(asked - left);
  return blocked;
}

}  // namespace

std::vector<const LimitRow*> LimitsFor(const State& state, MemberId member, ProjectId project,
                                       TierId tier) {
  std::vector<const LimitRow*> found;
  for (const auto& [id, limit] : state.limits.rows()) {
    if (Applies(state, limit, member, project, tier)) found.push_back(&limit);
  }
  // Of `each` limits on one resource, tier and period only the nearest scope's counts; of several
  // there the newest (a raise comes after what it raises).
  auto rank = [](const LimitRow* l) {
    return std::tuple(l->of, l->resource, l->tier, l->period, Distance(*l), -l->id.value());
  };
  std::ranges::sort(found, {}, rank);
  std::vector<const LimitRow*> result;
  for (const LimitRow* limit : found) {
    const LimitRow* last = result.empty() ? nullptr : result.back();
    const bool same = last && last->of == limit->of && last->resource == limit->resource &&
                      last->tier == limit->tier && last->period == limit->period;
    if (same && limit->of == LimitOf::kEach) continue;
    if (same && last->scope == limit->scope && last->member == limit->member) continue;
    result.push_back(limit);
  }
  std::erase_if(result, [](const LimitRow* l) { return l->unlimited; });
  return result;
}

int64_t UsedOf(const State& state, const LimitRow& limit, MemberId viewer) {
  int64_t used = 0;
  for (const auto& [key, open] : state.open_sums) {
    const auto& [member, project, tier] = key;
    if (!Counts(limit, viewer, member, project, tier)) continue;
    if (limit.resource == LimitResource::kMoney) used += open.money.micros();
    if (limit.resource == LimitResource::kUnitHours) used += open.unit_ms;
    if (limit.resource == LimitResource::kRunningUnits) used += open.units;
    if (limit.resource == LimitResource::kQueuedTasks) used += open.queued;
  }
  const bool of_now = limit.resource == LimitResource::kRunningUnits ||
                      limit.resource == LimitResource::kQueuedTasks;
  if (of_now) return used;
  const Timestamp start = PeriodStart(state, limit.period);
  for (const auto& [key, row] : state.spend.rows()) {
    if (key.period != limit.period || key.start_at != start) continue;
    if (!Counts(limit, viewer, key.member, key.project, key.tier)) continue;
    used += limit.resource == LimitResource::kMoney ? row.charged.micros() : row.unit_ms;
  }
  return used;
}

std::optional<Blocked> CrossedLimit(const State& state, const Ask& ask) {
  std::optional<Blocked> worst;
  for (const LimitRow* limit : LimitsFor(state, ask.member, ask.project, ask.tier)) {
    const int64_t asked = Part(*limit, ask);
    if (asked == 0) continue;
    const int64_t used = UsedOf(state, *limit, ask.member);
    if (asked <= limit->amount - used) continue;
    Blocked blocked = Describe(state, *limit, asked, used);
    // The earlier reason; of budgets the tightest.
    const bool better = !worst || blocked.reason < worst->reason ||
                        (blocked.reason == worst->reason && blocked.short_by > worst->short_by);
    if (better) worst = std::move(blocked);
  }
  return worst;
}

std::optional<Blocked> HopelessLimit(const State& state, const Ask& ask) {
  for (const LimitRow* limit : LimitsFor(state, ask.member, ask.project, ask.tier)) {
    const int64_t asked = Part(*limit, ask);
    if (asked > limit->amount) return Describe(state, *limit, asked, 0);
  }
  return std::nullopt;
}

void CountSpend(State& state, const OpenKey& of, Money charged, int64_t unit_ms, Timestamp at) {
  const auto& [member, project, tier] = of;
  for (Period period : {Period::kNone, Period::kDay, Period::kMonth}) {
    Timestamp start;
    if (period != Period::kNone) {
      const PeriodRow* row = PeriodAt(state, period, at);
      if (!row) continue;
      start = row->start_at;
    }
    const SpendKey key{member, project, tier, period, start};
    if (!state.spend.Find(key)) {
      state.spend.Put(key, {key.member, key.project, key.tier, period, start, Money(), 0});
    }
    SpendRow& row = state.spend.Edit(key);
    row.charged += charged;
    row.unit_ms += unit_ms;
  }
}

std::string LimitScope(const State& state, const LimitRow& limit) {
  std::string scope = OwnerName(state, limit.scope);
  if (limit.member) scope += "/" + MemberName(state, limit.member);
  return scope;
}

}  // namespace pinka
