#include "scheduler/core/deadline.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/lost_spot.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/preempt.h"
#include "scheduler/core/task.h"

namespace pinka {
namespace {

// Whether the rules apply: whoever names a source has chosen, and what may not run again is not
// moved.
bool Chooses(const JobRow& job) {
  return job.deadline && job.source == Wish::kAny && !job.no_requeue;
}

// span x part / whole, within a century either way.
Duration Scale(Duration span, Duration part, Duration whole) {
  const Int128 scaled = static_cast<Int128>(span.micros()) * part.micros() / whole.micros();
  const Int128 most = Duration::Days(36'500).micros();
  return Duration::Micros(static_cast<int64_t>(std::clamp(scaled, -most, most)));
}

// What uniform progress would have left of the slack at the job's start.
struct Schedule {
  Duration whole;    // from when it may run to its deadline
  Duration to_go;    // of that
  Duration slack;    // of the task, now
  Duration uniform;  // what it would be
};

Schedule ScheduleOf(const State& state, const JobRow& job, int32_t index) {
  Schedule s;
  const Timestamp from = std::max(job.eligible_at, job.begin_at);
  s.whole = std::max(job.deadline - from, job.time_limit);
  s.to_go = job.deadline - state.now;
  s.slack = s.to_go - WorkLeft(state, job, index);
  const int64_t at_first = (s.whole - job.time_limit).micros();
  const int64_t part = std::clamp<int64_t>(s.to_go.micros(), 0, s.whole.micros());
  s.uniform = Scale(Duration::Micros(at_first), Duration::Micros(part), s.whole);
  return s;
}

// How long an idle task waits for spot before it takes on demand.
Duration Patience(const State& state, const JobRow& job, const Schedule& s) {
  const Duration least = s.slack - kChange;
  // Idle time takes slack away at once, and from the uniform slack its part.
  const Duration behind = Scale(s.slack - s.uniform, s.whole, job.time_limit);
  switch (state.policy.spot) {
    case SpotRule::kSlack:
      return std::min(std::max(behind, s.slack - kChange * kChanges), least);
    case SpotRule::kUniform:
      return std::min(behind, least);
    case SpotRule::kSwitch:
      return least;
    case SpotRule::kOnDemand:
      return Duration();
  }
  return Duration();
}

Duration Unsaved(const AttemptRow& attempt) {
  return Duration::Millis(attempt.metered_ms - attempt.checkpoint_ms);
}

// Whether all that is left, with the restart and what is done again, costs less on spot than the
// rest does where it runs.
bool WorthAMove(const AttemptRow& attempt, Duration left, Rate spot) {
  const Duration here = left - kRestart - Unsaved(attempt);
  return static_cast<Int128>(left.millis()) * spot.micros_per_unit_hour() <
         static_cast<Int128>(here.millis()) * attempt.rate.micros_per_unit_hour();
}

// What stops an attempt from being moved now, whatever the rules say.
bool Movable(const State& state, const AttemptRow& attempt) {
  return attempt.state == AttemptState::kRunning && attempt.want == Want::kRun &&
         state.now - attempt.started_at >= LeastRun(state, attempt) &&
         !PreemptedLately(state, attempt.id);
}

// Where the rules would have it go; nothing where it is to stay.
std::optional<Source> Elsewhere(const State& state, const AttemptRow& attempt) {
  const JobRow& job = state.jobs.Get(attempt.id.job);
  if (!Chooses(job) || !Movable(state, attempt)) return std::nullopt;
  const Schedule s = ScheduleOf(state, job, attempt.id.index);
  if (attempt.source == Source::kSpot) {
    const bool late = state.policy.spot == SpotRule::kSlack && s.slack <= kRestart;
    return late ? std::optional(Source::kOnDemand) : std::nullopt;
  }
  const bool back =
      state.policy.spot == SpotRule::kSlack || state.policy.spot == SpotRule::kUniform;
  if (attempt.source != Source::kOnDemand || !back) return std::nullopt;
  const bool saved = attempt.checkpoint_ms > 0 && Unsaved(attempt) < kRestart;
  return saved && s.slack >= kChange + kRestart ? std::optional(Source::kSpot) : std::nullopt;
}

// Uniform progress leaves on demand once it is ahead, also where no spot node has room.
bool Pauses(const State& state, const AttemptRow& attempt) {
  if (state.policy.spot != SpotRule::kUniform) return false;
  const JobRow& job = state.jobs.Get(attempt.id.job);
  const Schedule s = ScheduleOf(state, job, attempt.id.index);
  return s.slack - kRestart > s.uniform;
}

std::string CauseOf(const State& state, const AttemptRow& attempt, Source to) {
  const JobRow& job = state.jobs.Get(attempt.id.job);
  const Duration slack = ScheduleOf(state, job, attempt.id.index).slack;
  const Duration minutes = Duration::Minutes(std::max<int64_t>(slack.seconds() / 60, 0));
  return fmt::format(
      "moves to {}: {} before the deadline", Name(to),
      minutes == Duration() ? "no time to spare" : FormatDuration(minutes) + " to spare");
}

// The offer that would pay there, if it is one now.
std::optional<Offer> OfferOf(const State& state, const JobRow& job, Source source) {
  const Choice choice = ChooseSource(state, NeedOf(state, job));
  const auto offer = std::ranges::find(choice.offers, source, &Offer::source);
  return offer == choice.offers.end() ? std::nullopt : std::optional(*offer);
}

bool GoesNow(const State& state, const AttemptRow& attempt, Source to, const TierRoom& room) {
  const JobRow& job = state.jobs.Get(attempt.id.job);
  const auto offer = OfferOf(state, job, to);
  if (!offer) return false;
  if (to == Source::kSpot && HasLeftSpot(state, job, attempt.id.index)) return false;
  const Duration left = WorkLeft(state, job, attempt.id.index);
  if (to == Source::kSpot && !WorthAMove(attempt, left, offer->rate)) return false;
  return room.FitNow(WantedBy(job, to)) || (to == Source::kSpot && Pauses(state, attempt));
}

}  // namespace

Duration WorkLeft(const State& state, const JobRow& job, int32_t index) {
  Duration saved;
  const auto& rows = state.attempts.rows();
  for (auto it = rows.lower_bound({job.id, index, 0});
       it != rows.end() && it->first.job == job.id && it->first.index == index; ++it) {
    const Duration at = Duration::Millis(it->second.checkpoint_ms);
    saved = saved + std::max(it->first.number > 1 ? at - kRestart : at, Duration());
  }
  if (saved == Duration()) return job.time_limit;
  return std::min(std::max(job.time_limit - saved, Duration()) + kRestart, job.time_limit);
}

Timestamp TooLateFrom(const State& state, const JobRow& job, int32_t index) {
  return job.deadline - WorkLeft(state, job, index) + Duration::Micros(1);
}

void KeepPace(const State& state, const JobRow& job, std::vector<Offer>& offers) {
  const auto spot = std::ranges::find(offers, Source::kSpot, &Offer::source);
  if (!Chooses(job) || spot == offers.end() || offers.size() == 1) return;
  const auto task = NextTask(state, job);
  if (!task) return;
  const Schedule s = ScheduleOf(state, job, *task);
  if (s.slack < kChange || state.policy.spot == SpotRule::kOnDemand) {
    offers.erase(spot);
    return;
  }
  const Timestamp until = state.now + std::max(Patience(state, job, s), Duration());
  for (Offer& offer : offers) {
    if (offer.source == Source::kOnDemand) offer.not_before = until;
  }
}

Timestamp NextTurn(const State& state, const JobRow& job) {
  Timestamp next = Timestamp::Never();
  if (!Chooses(job)) return next;
  const auto consider = [&](Timestamp at) {
    if (at > state.now) next = std::min(next, at);
  };
  if (const auto task = NextTask(state, job)) {
    const Schedule s = ScheduleOf(state, job, *task);
    consider(state.now + Patience(state, job, s));
  }
  const auto some = state.against_time.find(job.tier);
  if (some == state.against_time.end()) return next;
  for (auto it = some->second.lower_bound({job.id, 0, 0});
       it != some->second.end() && it->job == job.id; ++it) {
    if (state.attempts.Get(*it).source != Source::kSpot) continue;
    consider(state.now + ScheduleOf(state, job, it->index).slack - kRestart);
  }
  return next;
}

std::optional<Move> NextMove(const State& state, TierId tier) {
  const auto some = state.against_time.find(tier);
  if (some == state.against_time.end()) return std::nullopt;
  std::vector<std::pair<AttemptId, Source>> wish;
  for (const AttemptId& id : some->second) {
    if (const auto to = Elsewhere(state, state.attempts.Get(id))) wish.emplace_back(id, *to);
  }
  if (wish.empty()) return std::nullopt;
  TierPass pass(state, tier, TierPass::Depth::kPromises);
  const bool starts =
      std::ranges::any_of(pass.Finish(), [](const Look& look) { return look.start.has_value(); });
  if (starts) return std::nullopt;
  for (const auto& [id, to] : wish) {
    const AttemptRow& attempt = state.attempts.Get(id);
    if (GoesNow(state, attempt, to, pass.room())) return Move{id, to, CauseOf(state, attempt, to)};
  }
  return std::nullopt;
}

void StartMove(State& state, const Move& move) {
  StopAttempt(state, move.attempt, StopReason::kPreempt, {}, move.cause);
  state.attempts.Edit(move.attempt).message = move.cause;
  SetFreed(state, move.attempt.job, state.now);
}

}  // namespace pinka
