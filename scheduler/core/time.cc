// Time inside core (design.md 12): everything due before now happens first, in time order.
#include <algorithm>

#include "scheduler/core/fair_share.h"
#include "scheduler/core/forget.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/task.h"
#include "scheduler/core/verbs.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

// The first instant in `when` order after `now` at which budgets or prices look different.
Timestamp NextBoundary(const State& state) {
  Timestamp next = Timestamp::Never();
  const auto consider = [&](Timestamp at) {
    if (at > state.now) next = std::min(next, at);
  };
  for (const auto* periods : {&state.days, &state.months}) {
    auto it = std::ranges::upper_bound(*periods, state.now, {}, &PeriodRow::start_at);
    if (it != periods->end()) consider(it->start_at);
  }
  for (const auto& [id, limit] : state.limits.rows()) {
    if (limit.until) consider(limit.until);
    if (limit.starts_at) consider(limit.starts_at);
  }
  for (const auto& [key, history] : state.rates) {
    auto it = std::ranges::upper_bound(history, state.now, {}, &RateRow::valid_from);
    if (it != history.end()) consider(it->valid_from);
  }
  for (const auto& [id, lot] : state.lots.rows()) consider(lot.starts_at);
  for (const auto& [id, package] : state.packages.rows()) consider(package.starts_at);
  return next;
}

Timestamp NextLotEnd(const State& state) {
  Timestamp next = Timestamp::Never();
  for (const auto& [id, lot] : state.lots.rows()) {
    // One whose end has passed waits for its last hold.
    if (!lot.lapsed && lot.ends_at > state.now) next = std::min(next, lot.ends_at);
  }
  return next;
}

bool AnyUse(const State& state) {
  return std::ranges::any_of(state.usage.rows(),
                             [](const auto& e) { return e.second.amount != 0; }) ||
         std::ranges::any_of(state.open_use, [](const auto& e) { return e.second.weight != 0; });
}

// The next boundary or lot end, kept until PlanAll says that a date may have changed.
Timestamp NextDate(State& state) {
  if (!state.next_date || state.next_date <= state.now) {
    state.next_date = std::min(NextBoundary(state), NextLotEnd(state));
  }
  return state.next_date;
}

// Whole hours without any use need no rolling: only the reference moves.
void SkipIdleHours(State& state, Timestamp now) {
  if (AnyUse(state)) return;
  const int64_t hour = Duration::Hours(1).micros();
  const Timestamp to = Timestamp::Micros(now.micros() / hour * hour);
  if (to <= state.lab.usage_hour) return;
  state.lab.usage_hour = to;
  state.lab_touched = true;
}

void LapseDue(State& state) {
  std::vector<LotId> due;
  for (const auto& [id, lot] : state.lots.rows()) {
    if (!lot.lapsed && lot.ends_at == state.now) due.push_back(id);
  }
  for (LotId id : due) LapseLot(state, id);
  std::vector<PackageId> packages;
  for (const auto& [id, package] : state.packages.rows()) {
    if (package.ends_at == state.now) packages.push_back(id);
  }
  for (PackageId id : packages) CloseIfOver(state, id);
}

// At a month's start, what rentals have come to before it.
void PostMonthsEnd(State& state) {
  const PeriodRow* month = PeriodAt(state, Period::kMonth, state.now);
  if (month && month->start_at == state.now) PostMonth(state, state.now, false);
  ForgetRentals(state);
}

void CapAges(State& state) {
  while (!state.age_caps.empty() && state.age_caps.begin()->first <= state.now) {
    const JobId id = state.age_caps.begin()->second;
    Requeue(state, state.jobs.Get(id));
  }
}

bool AnyWaiting(const State& state) {
  return std::ranges::any_of(state.queues, [](const auto& e) { return !e.second.empty(); });
}

// The next whole minute: shares move with time, so who waits is judged anew then.
Timestamp NextPass(Timestamp after) {
  const int64_t pass = kSchedulingPeriod.micros();
  return Timestamp::Micros((after.micros() / pass + 1) * pass);
}

}  // namespace

void AdvanceTo(State& state, Timestamp now) {
  const Timestamp before = state.now;
  SkipIdleHours(state, now);
  for (;;) {
    const Timestamp date = NextDate(state);
    const Timestamp hour = UsageReference(state);
    const Timestamp age =
        state.age_caps.empty() ? Timestamp::Never() : state.age_caps.begin()->first;
    const Timestamp timer = state.timers.empty() ? Timestamp::Never() : state.timers.begin()->first;
    const Timestamp due = std::min({date, hour, age, timer});
    if (due > now) break;
    state.now = std::max(state.now, due);
    if (due == hour) RollUsageHour(state);
    if (due == age) CapAges(state);
    if (due == timer) RunTimers(state);
    if (due == date) {
      LapseDue(state);
      PostMonthsEnd(state);
      PlanAll(state);
    }
    SkipIdleHours(state, now);
  }
  state.now = std::max(state.now, now);
  if (state.now >= NextPass(before)) PlanWaiting(state);
  ForgetJobs(state);
  ForgetRequests(state);
}

Timestamp NextDue(const State& state) {
  const Timestamp forget =
      state.ended_jobs.empty() ? Timestamp::Never() : state.ended_jobs.begin()->first;
  const Timestamp pass = AnyWaiting(state) ? NextPass(state.now) : Timestamp::Never();
  const Timestamp timer = state.timers.empty() ? Timestamp::Never() : state.timers.begin()->first;
  return std::min({NextBoundary(state), NextLotEnd(state), forget, pass, timer});
}

Reply Do(State&, const Tick&) { return {}; }

Reply Do(State& state, const AddPeriods& command) {
  for (const PeriodRow& row : command.periods) {
    auto& periods = PeriodsOf(state, row.kind);
    auto it = std::ranges::lower_bound(periods, row.start_at, {}, &PeriodRow::start_at);
    if (it != periods.end() && it->start_at == row.start_at) continue;
    periods.insert(it, row);
    state.out.periods.push_back(row);
  }
  NightsChanged(state);
  PlanAll(state);
  return {};
}

}  // namespace pinka
