// edit --time, --name, --dependency, --tier. A longer limit of running work enlarges its hold
// first, or is refused; a shorter one gives back what the hold no longer needs. What a job waits
// for, and where, changes only while nothing of it runs.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/parents.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/sources.h"
#include "scheduler/core/task.h"
#include "scheduler/core/thresholds.h"
#include "scheduler/core/verbs.h"
#include "scheduler/core/waits.h"

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
  if (job.deadline && open.empty() && std::max(state.now, job.begin_at) + limit > job.deadline) {
    return Refuse(Reason::kBadRequest,
                  fmt::format("with a limit of {} it could not end before its deadline {}",
                              FormatDuration(limit), FormatUtc(job.deadline)));
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
  state.recheck.insert(id);  // its deadline leaves it less or more time
  PlanAll(state);            // a shorter limit gives room, money and hours to others
}

// What the job would have asked of the other tier: what was left to the old one is left to the new.
JobRequest RequestOn(const State& state, const JobRow& job, const TierRow& tier) {
  const TierRow& before = state.tiers.Get(job.tier);
  JobRequest request;
  request.tier = tier.id;
  request.project = job.project;
  request.gpus = job.gpus == before.unit_gpus ? 0 : job.gpus;
  request.cpus = job.cpus == int64_t{job.units} * before.unit_cpus ? 0 : job.cpus;
  request.memory = job.memory;
  request.time_limit = job.time_limit;
  request.source = job.source;
  request.klass = job.klass;
  request.array = job.array;
  request.begin_at = job.begin_at;
  request.deadline = job.deadline;
  return request;
}

int32_t WaitingTasks(const JobRow& job) {
  return job.counts[static_cast<size_t>(TaskState::kPending)] +
         job.counts[static_cast<size_t>(TaskState::kHeld)];
}

// Quote, limits and shape are judged as of a new job; what waits already is not counted twice.
std::optional<Reply> RefuseTier(State& state, const JobRow& job, TierId to) {
  const TierRow* tier = state.tiers.Find(to);
  if (!tier || tier->absent)
    return Refuse(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
  int64_t& queued = state.open_sums[KeyOf(job)].queued;
  const int32_t waiting = WaitingTasks(job);
  queued -= waiting;
  auto refused = WouldRefuse(state, Actor{job.member, false}, RequestOn(state, job, *tier));
  queued += waiting;
  return refused;
}

void SetTier(State& state, JobId id, TierId to) {
  Dequeue(state, state.jobs.Get(id));
  JobRow& job = state.jobs.Edit(id);
  const TierRow& tier = state.tiers.Get(to);
  const JobRequest request = RequestOn(state, job, tier);
  const int32_t waiting = WaitingTasks(job);
  state.open_sums[KeyOf(job)].queued -= waiting;
  state.to_plan.insert(job.tier);
  job.tier = to;
  job.units = UnitsOf(tier, request.gpus, request.cpus, request.memory);
  job.gpus = request.gpus > 0 ? request.gpus : tier.unit_gpus;
  if (request.cpus == 0) {
    const int64_t cpus = int64_t{job.units} * tier.unit_cpus;
    job.cpus = static_cast<int32_t>(std::min<int64_t>(cpus, INT32_MAX));
  }
  state.open_sums[KeyOf(job)].queued += waiting;
  Requeue(state, job);
}

std::optional<Reply> RefuseWhileRunning(const State& state, const JobRow& job) {
  if (state.job_index.at(job.id).live == 0) return std::nullopt;
  return Refuse(Reason::kNotWaiting,
                "tasks of it run; the dependency and the tier of a job change only while it waits");
}

// What would refuse the edit, in the order of its options. `parents` is what the dependency means.
std::optional<Reply> RefuseEdit(State& state, const EditJob& command, const JobRow& job,
                                Resolution* parents) {
  if (command.set_dependency || command.tier) {
    if (auto refused = RefuseWhileRunning(state, job)) return refused;
  }
  if (command.set_dependency) {
    *parents = ResolveParents(state, command, job);
    if (parents->refused) return parents->refused;
    if (!parents->need.empty()) {
      Reply reply;
      reply.need = parents->need;
      return reply;
    }
  }
  if (command.set_text && !command.set_dependency) {
    const std::string ring = RingOfName(state, job, NameHash(command.text.name));
    if (!ring.empty()) {
      return Refuse(Reason::kBadRequest,
                    fmt::format("under that name singletons would wait in a ring, {}", ring));
    }
  }
  JobRow wanted = job;
  if (command.set_time) wanted.time_limit = command.time_limit;
  if (command.tier && command.tier != job.tier) {
    if (auto refused = RefuseTier(state, wanted, command.tier)) return refused;
  }
  if (!command.set_time) return std::nullopt;
  wanted = job;
  if (command.tier) wanted.tier = command.tier;
  return RefuseTime(state, command.actor, wanted, command.time_limit);
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
  Resolution parents;
  if (auto refused = RefuseEdit(state, command, *job, &parents)) return *refused;
  // The point of no return.
  std::vector<std::string> what;
  if (command.tier && command.tier != job->tier) {
    what.push_back("tier " + TierName(state, command.tier));
    SetTier(state, command.job, command.tier);
  }
  if (command.set_time) {
    what.push_back("time " + FormatDuration(command.time_limit));
    SetTime(state, command.job, command.time_limit);
  }
  if (command.set_dependency) {
    const std::string text = FormatDependency(parents.jobs.front().written);
    what.push_back("dependency " + (text.empty() ? "none" : text));
    state.jobs.Edit(command.job).dependency = text;
    SetWaits(state, command.job, parents.jobs.front().waits);
    state.recheck.insert(command.job);
  }
  if (command.set_text) {
    what.push_back("name");
    PutText(state, command.job, command.text);
    SetName(state, command.job, NameHash(command.text.name));
  }
  Log(state, "job", std::to_string(command.job.value()), "edited",
      fmt::format("{}", fmt::join(what, ", ")), command.actor.member);
  Reply reply;
  reply.first = command.job.value();
  Remember(state, command.actor, command.request, false, reply.first, 1);
  return reply;
}

}  // namespace pinka
