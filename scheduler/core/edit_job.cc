// edit --time and --name. A longer limit of running work enlarges its hold first, or is refused; a
// shorter one gives back what the hold no longer needs.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/sources.h"
#include "scheduler/core/task.h"
#include "scheduler/core/thresholds.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

std::vector<AttemptId> OpenAttempts(const State& state, JobId job) {
  std::vector<AttemptId> open;
  const auto& rows = state.attempts.rows();
  for (auto it = rows.lower_bound({job, 0, 0}); it != rows.end() && it->first.job == job; ++it) {
    if (it->second.state != AttemptState::kEnded) open.push_back(it->first);
  }
  return open;
}

// The limit that an open attempt gets of `limit`: what its job's ceiling covers.
Duration Covered(const State& state, const JobRow& job, const AttemptRow& attempt, Duration limit) {
  const HoldRow& hold = state.holds.Get(attempt.id);
  const std::optional<Money> left = LeftOf(state, job);
  if (!left || hold.asset != kCurrency) return limit;
  return CoveredTime(*left + hold.amount, attempt.rate, attempt.units, limit);
}

std::optional<Reply> RefuseTime(const State& state, const Actor& actor, const JobRow& job,
                                Duration limit) {
  const TierRow& tier = state.tiers.Get(job.tier);
  if (limit <= Duration()) return Refuse(Reason::kBadRequest, "a time limit is more than 0");
  if (limit > tier.max_time) {
    return Refuse(Reason::kTimeLimitAboveTier,
                  fmt::format("{} is above the {} that tier {} allows", FormatDuration(limit),
                              FormatDuration(tier.max_time), tier.name));
  }
  const std::vector<AttemptId> open = OpenAttempts(state, job.id);
  if (!open.empty() && limit > job.time_limit && !actor.admin) {
    return Refuse(Reason::kNotPermitted,
                  "the limit of running work is raised by an admin; ask one");
  }
  std::map<AssetId, Money> more;
  int64_t more_ms = 0;
  for (const AttemptId& id : open) {
    const AttemptRow& attempt = state.attempts.Get(id);
    const Duration covered = Covered(state, job, attempt, limit);
    const UnitTime time = UnitTime::Of(attempt.units, covered);
    if (CostOverflows(time, HoldRate(attempt)))
      return Refuse(Reason::kBadRequest, "that limit is beyond all money");
    const HoldRow& hold = state.holds.Get(id);
    const Money extra = Cost(time, HoldRate(attempt)) - hold.amount;
    if (extra > Money()) more[hold.asset] += extra;
    more_ms += std::max<int64_t>((covered - attempt.time_limit).millis(), 0) * attempt.units;
    if (limit.millis() < attempt.metered_ms) {
      return Refuse(Reason::kBadRequest,
                    "it has already run for longer than that; cancel it instead");
    }
  }
  if (more.empty() && more_ms == 0) return std::nullopt;
  for (const AttemptId& id : open) {
    const AssetId asset = state.holds.Get(id).asset;
    if (!more.contains(asset)) continue;
    if (auto no = CannotGrow(state, state.attempts.Get(id), limit, asset, more.at(asset)))
      return no;
  }
  const Ask ask{job.member, job.project, job.tier, more[kCurrency], more_ms, 0, 0};
  if (auto crossed = CrossedLimit(state, ask))
    return Refuse(crossed->reason, "the longer limit " + crossed->text);
  return std::nullopt;
}

void SetTime(State& state, JobId id, Duration limit) {
  JobRow& job = state.jobs.Edit(id);
  job.time_limit = limit;
  for (const AttemptId& open : OpenAttempts(state, id)) {
    AttemptRow& attempt = state.attempts.Edit(open);
    const Duration covered = Covered(state, job, attempt, limit);
    const int64_t more_ms = (covered - attempt.time_limit).millis() * attempt.units;
    state.open_sums[KeyOf(attempt)].unit_ms += more_ms;
    attempt.time_limit = covered;
    const Money cost = Cost(UnitTime::Of(attempt.units, covered), HoldRate(attempt));
    EnlargeHold(state, attempt, cost);
    CutHold(state, attempt, cost);
    CrossThresholds(state, KeyOf(attempt));
    OrdersChanged(state, attempt.node);
  }
  Requeue(state, job);
  PlanAll(state);  // a shorter limit gives room, money and hours to others
}

// One row a job and batch: the last word.
void PutText(State& state, JobId job, JobTextRow text) {
  text.job = job;
  std::erase_if(state.out.job_texts, [&](const JobTextRow& row) { return row.job == job; });
  state.out.job_texts.push_back(std::move(text));
}

}  // namespace

Reply Do(State& state, const EditJob& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  const JobRow* job = state.jobs.Find(command.job);
  const auto missing =
      Refuse(Reason::kNoSuchJob, fmt::format("no such job {}", command.job.value()));
  if (!job) {
    for (const EndedJob& ended : command.ended) {
      if (ended.id == command.job && ended.member && MayActFor(command.actor, ended.member)) {
        return Refuse(Reason::kAlreadyFinished,
                      "the job has ended; `pinka resubmit` makes a new one of it");
      }
    }
    if (!command.ended.empty()) return missing;
    Reply reply;
    reply.need.push_back(command.job);
    return reply;
  }
  if (!MayActFor(command.actor, job->member)) return missing;
  if (IsTerminal(job->state)) {
    return Refuse(Reason::kAlreadyFinished,
                  "the job has ended; `pinka resubmit` makes a new one of it");
  }
  if (command.set_time) {
    if (auto refused = RefuseTime(state, command.actor, *job, command.time_limit)) return *refused;
    SetTime(state, command.job, command.time_limit);
  }
  if (command.set_text) PutText(state, command.job, command.text);
  Log(state, "job", std::to_string(command.job.value()), "edited",
      command.set_time ? "time " + FormatDuration(command.time_limit) : "name",
      command.actor.member);
  Reply reply;
  reply.first = command.job.value();
  Remember(state, command.actor, command.request, false, reply.first, 1);
  return reply;
}

}  // namespace pinka
