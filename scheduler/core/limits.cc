#include "scheduler/core/limits.h"

#include <algorithm>
#include <tuple>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/bound.h"

namespace pinka {
namespace {

// How near a scope is to a member: member in project 0, member 1, project 2, lab 3.
int Distance(const LimitRow& limit) {
  if (limit.scope.kind == OwnerKind::kProject) return limit.member ? 0 : 2;
  return limit.scope.kind == OwnerKind::kMember ? 1 : 3;
}

bool InForce(const State& state, const LimitRow& limit) {
  return !limit.absent && limit.starts_at <= state.now && (!limit.until || limit.until > state.now);
}

bool Applies(const State& state, const LimitRow& limit, MemberId member, ProjectId project,
             TierId tier) {
  if (!InForce(state, limit) || (limit.tier && limit.tier != tier)) return false;
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

Reason ReasonOf(const LimitRow& limit) {
  if (limit.resource == LimitResource::kQueuedTasks) return Reason::kQueuedTasks;
  if (limit.resource != LimitResource::kRunningUnits) return Reason::kBudget;
  return limit.scope.kind == OwnerKind::kProject && !limit.member ? Reason::kProjectMaxRunning
                                                                  : Reason::kMemberMaxRunning;
}

// The lab's own ceiling of money: what machines bind the lab to pay counts against it.
bool IsLabsOwn(const LimitRow& limit) {
  return limit.resource == LimitResource::kMoney && limit.of == LimitOf::kAll &&
         limit.scope.kind == OwnerKind::kLab;
}

Blocked Describe(const State& state, const LimitRow& limit, int64_t asked, int64_t used) {
  Blocked blocked;
  blocked.reason = ReasonOf(limit);
  const int64_t left = std::max<int64_t>(limit.amount - used, 0);
  blocked.text =
      fmt::format("needs {}, but {} is {} and leaves {}", LimitAmount(state, limit, asked),
                  LimitTitle(state, limit), LimitAmount(state, limit, limit.amount),
                  LimitAmount(state, limit, left));
  if (limit.resource == LimitResource::kMoney) blocked.short_by = Money::Micros(asked - left);
  return blocked;
}

// Whether so much is used that nothing new may start.
bool BlocksAt(const LimitRow& limit, int64_t used) {
  return limit.block_at > 0 && Int128{used} * 100 >= Int128{limit.amount} * limit.block_at;
}

Blocked DescribeBlock(const State& state, const LimitRow& limit, int64_t asked, int64_t used) {
  Blocked blocked;
  blocked.reason = ReasonOf(limit);
  blocked.text =
      fmt::format("waits: {} of the {} of {} are used, and from {} % on nothing new starts",
                  LimitAmount(state, limit, used), LimitAmount(state, limit, limit.amount),
                  LimitTitle(state, limit), limit.block_at);
  if (limit.resource == LimitResource::kMoney) blocked.short_by = Money::Micros(asked);
  return blocked;
}

// Every row of one place differs only in what is allowed and until when.
bool SamePlace(const LimitRow& a, const LimitRow& b) {
  return a.resource == b.resource && a.of == b.of && a.scope == b.scope && a.member == b.member &&
         a.tier == b.tier && a.period == b.period && a.starts_at == b.starts_at;
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
    return std::tuple(l->of, l->resource, l->tier, l->period, l->starts_at, Distance(*l),
                      -l->id.value());
  };
  std::ranges::sort(found, {}, rank);
  std::vector<const LimitRow*> result;
  for (const LimitRow* limit : found) {
    const LimitRow* last = result.empty() ? nullptr : result.back();
    const bool same = last && last->of == limit->of && last->resource == limit->resource &&
                      last->tier == limit->tier && last->period == limit->period &&
                      last->starts_at == limit->starts_at;
    if (same && limit->of == LimitOf::kEach) continue;
    if (same && last->scope == limit->scope && last->member == limit->member) continue;
    result.push_back(limit);
  }
  std::erase_if(result, [](const LimitRow* l) { return l->unlimited; });
  return result;
}

int64_t UsedOf(const State& state, const LimitRow& limit, MemberId viewer) {
  int64_t used = IsLabsOwn(limit) ? BoundOf(state, limit.tier).sum.micros() : 0;
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
  const bool dated = limit.period == Period::kDated;
  const Timestamp start = PeriodStart(state, limit);
  for (const auto& [key, row] : state.spend.rows()) {
    const bool in =
        dated ? key.period == Period::kDay && key.start_at >= start && key.start_at < limit.until
              : key.period == limit.period && key.start_at == start;
    if (!in) continue;
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
    const Bound bound =
        IsLabsOwn(*limit) ? BoundOf(state, limit->tier, ask.tier, ask.units) : Bound();
    // What a machine is paid for already costs nothing more.
    const int64_t more = std::max<int64_t>(asked - bound.most.micros(), 0);
    const bool fits = more <= limit->amount - used;
    if (fits && !BlocksAt(*limit, used)) continue;
    Blocked blocked =
        fits ? DescribeBlock(state, *limit, asked, used) : Describe(state, *limit, asked, used);
    if (bound.machines > 0) blocked.text += "; " + Describe(state, bound);
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

std::vector<const LimitRow*> StandingAt(const State& state, const LimitRow& limit) {
  std::vector<const LimitRow*> rows;
  for (const auto& [id, row] : state.limits.rows()) {
    if (InForce(state, row) && SamePlace(row, limit)) rows.insert(rows.begin(), &row);
  }
  return rows;
}

Timestamp PeriodStart(const State& state, const LimitRow& limit) {
  if (limit.period == Period::kDated) return limit.starts_at;
  if (limit.period == Period::kNone) return {};
  const PeriodRow* row = PeriodAt(state, limit.period, state.now);
  return row ? row->start_at : Timestamp();
}

Timestamp SpendKeptFrom(const State& state) {
  Timestamp from = state.now - kKeepSpend;
  for (const auto& [id, row] : state.limits.rows()) {
    const bool needs = row.period == Period::kDated && !row.absent && row.until > state.now;
    if (needs) from = std::min(from, row.starts_at);
  }
  return from;
}

std::string LimitScope(const State& state, const LimitRow& limit) {
  std::string scope = OwnerName(state, limit.scope);
  if (limit.member) scope += "/" + MemberName(state, limit.member);
  return scope;
}

std::string LimitAmount(const State& state, const LimitRow& limit, int64_t amount) {
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

std::string LimitTitle(const State& state, const LimitRow& limit) {
  std::string text =
      fmt::format("the {} limit of {}", Name(limit.resource), LimitScope(state, limit));
  if (limit.of == LimitOf::kEach) text += " for each member";
  if (limit.tier) text += " on " + TierName(state, limit.tier);
  if (limit.period == Period::kDated) return text + " between its dates";
  if (limit.period != Period::kNone) text += fmt::format(" per {}", Name(limit.period));
  return text;
}

}  // namespace pinka
