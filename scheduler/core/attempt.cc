#include "scheduler/core/attempt.h"

#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/hardware.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/task.h"
#include "scheduler/core/thresholds.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

constexpr int32_t kMaxInfraRestarts = 20;
constexpr int32_t kMaxRequeueExits = 50;
constexpr int32_t kMaxRunAgains = 50;

constexpr Duration kStartPatience = Duration::Seconds(60);  // beside the tier's staging limit
constexpr Duration kSpotFence = Duration::Minutes(15);

// A machine that its provider may take back at any time is given up sooner than others.
Duration FenceOf(const TierRow& tier, Source source) {
  if (tier.fence > Duration()) return tier.fence;
  return source == Source::kSpot ? kSpotFence : Duration();
}

TaskId TaskOf(const AttemptId& id) { return {id.job, id.index}; }

void LogAttempt(State& state, const AttemptRow& attempt, AttemptState from,
                std::string detail = "") {
  Log(state, "attempt", ToString(attempt.id),
      fmt::format("{} -> {}", Name(from), Name(attempt.state)), std::move(detail));
}

// preempt.h: what others may interrupt.
void IndexInterruptible(State& state, const AttemptRow& attempt, int32_t sign) {
  std::set<AttemptId>& some = state.interruptible[attempt.tier];
  if (sign < 0) {
    some.erase(attempt.id);
    return;
  }
  const JobRow* job = state.jobs.Find(attempt.id.job);
  const bool scavenger = job && job->klass == JobClass::kScavenger;
  const bool source = attempt.source == Source::kSpot || attempt.source == Source::kPackage;
  if (scavenger || source) some.insert(attempt.id);
}

// deadline.h: what may be moved to keep its pace.
void IndexAgainstTime(State& state, const AttemptRow& attempt, int32_t sign) {
  const JobRow* job = state.jobs.Find(attempt.id.job);
  if (!job || !job->deadline) return;
  std::set<AttemptId>& some = state.against_time[attempt.tier];
  if (sign < 0) {
    some.erase(attempt.id);
  } else {
    some.insert(attempt.id);
  }
}

void AddUnits(State& state, const AttemptRow& attempt, int32_t sign) {
  NodeUse& use = state.node_use[attempt.node];
  use.units += sign * attempt.units;
  use.live += sign;
  for (int32_t gpu : attempt.gpus) {
    if (sign > 0) {
      use.gpus.insert(gpu);
    } else {
      use.gpus.erase(gpu);
    }
  }
  IndexInterruptible(state, attempt, sign);
  IndexAgainstTime(state, attempt, sign);
  OpenSums& sums = state.open_sums[KeyOf(attempt)];
  sums.units += sign * attempt.units;
  sums.unit_ms += sign * attempt.units * attempt.time_limit.millis();
}

TaskState Mirror(AttemptState s) {
  switch (s) {
    case AttemptState::kOrdered:
    case AttemptState::kStarting:
      return TaskState::kStarting;
    case AttemptState::kRunning:
      return TaskState::kRunning;
    case AttemptState::kUnknown:
      return TaskState::kUnknown;
    case AttemptState::kStopping:
    case AttemptState::kEnded:
      return TaskState::kStopping;
  }
  return TaskState::kStopping;
}

void SetState(State& state, const AttemptId& id, AttemptState to) {
  AttemptRow& attempt = state.attempts.Edit(id);
  if (attempt.state == to) return;
  const AttemptState from = attempt.state;
  attempt.state = to;
  LogAttempt(state, attempt, from);
  MoveTask(state, TaskOf(id), Mirror(to), "");
}

// What the agent says and what the scheduler had asked for, together.
EndReason Resolve(const AttemptRow& attempt, EndReason reported) {
  const bool asked = reported == EndReason::kCancelledByUser ||
                     reported == EndReason::kCancelledByAdmin ||
                     reported == EndReason::kNodeDrain || reported == EndReason::kBudget ||
                     reported == EndReason::kPreempted;
  if (!asked) return reported;
  switch (attempt.stop_reason) {
    case StopReason::kCancelByAdmin:
      return EndReason::kCancelledByAdmin;
    case StopReason::kNodeDrain:
      return EndReason::kNodeDrain;
    case StopReason::kBudget:
      return EndReason::kBudget;
    case StopReason::kPreempt:
      return EndReason::kPreempted;
    case StopReason::kReclaim:
      return EndReason::kSpotReclaim;
    case StopReason::kNone:
      return reported;
    case StopReason::kCancelByUser:
    case StopReason::kRequeue:
      return EndReason::kCancelledByUser;
  }
  return reported;
}

// Whether its job's ceiling gave it less time than the job asks for.
bool CutByCeiling(const State& state, const AttemptRow& attempt) {
  return attempt.time_limit < state.jobs.Get(attempt.id.job).time_limit;
}

// The reason that stands: what the node says, where it can be so. Work that ran was not withdrawn,
// an exit that nobody knows is none, and a limit that the ceiling set is the ceiling.
EndReason Believe(const State& state, const AttemptRow& attempt, const End& end) {
  const EndReason reason = Resolve(attempt, end.reason);
  const bool ran = attempt.started_at || end.metered_ms > 0 || end.exited;
  if (reason == EndReason::kWithdrawn && ran) {
    return attempt.stop_reason != StopReason::kNone ? Resolve(attempt, EndReason::kCancelledByUser)
                                                    : EndReason::kSupervisorLost;
  }
  if (reason == EndReason::kExited && !end.exited) return EndReason::kSupervisorLost;
  if (reason == EndReason::kTimeLimit && CutByCeiling(state, attempt)) return EndReason::kBudget;
  return reason;
}

struct Next {
  TaskState state = TaskState::kFailed;
  Reason hold = Reason::kOk;
};

bool CancelAsked(const AttemptRow& attempt) {
  return attempt.stop_reason == StopReason::kCancelByUser ||
         attempt.stop_reason == StopReason::kCancelByAdmin;
}

Next AfterExit(const JobRow& job, TaskRow& task, const AttemptRow& attempt) {
  const bool well = attempt.exited && attempt.exit_code == 0 && attempt.signal == 0;
  if (well) return {TaskState::kCompleted};
  if (job.no_requeue || CancelAsked(attempt)) return {TaskState::kFailed};
  const bool listed =
      attempt.exited && attempt.signal == 0 &&
      std::ranges::find(job.requeue_exit, attempt.exit_code) != job.requeue_exit.end();
  if (listed && task.attempts < kMaxRequeueExits) return {TaskState::kPending};
  if (task.retries_used < job.retries) {
    ++task.retries_used;
    return {TaskState::kPending};
  }
  return {TaskState::kFailed};
}

// What the task does after this end (semantics.md 5 and 6).
Next Decide(const JobRow& job, TaskRow& task, const AttemptRow& attempt) {
  const EndRule& rule = RuleOf(attempt.end_reason);
  if (attempt.end_reason == EndReason::kExited) return AfterExit(job, task, attempt);
  if (CancelAsked(attempt)) {
    const bool own_end = rule.requeue == Requeue::kNo;
    return {own_end ? rule.state : TaskState::kCancelled};
  }
  if (attempt.stop_reason == StopReason::kRequeue) return {TaskState::kPending};
  if (rule.requeue == Requeue::kNo) return {rule.state};
  const bool never_ran = attempt.end_reason == EndReason::kWithdrawn;
  if (job.no_requeue && !never_ran) return {rule.state};
  const bool again = attempt.end_reason == EndReason::kRunAgain;
  if (again && ++task.run_agains > kMaxRunAgains) return {rule.state};
  if (rule.requeue == Requeue::kInfra && ++task.infra_restarts > kMaxInfraRestarts) {
    return {TaskState::kHeld, Reason::kInfraHoldMaxRequeue};
  }
  return {TaskState::kPending};
}

// The server's own times bound what a node says: nothing ran before it was ordered, and a meter
// never goes back.
int64_t Plausible(const State& state, const AttemptRow& attempt, int64_t metered_ms) {
  const int64_t most = (state.now - attempt.ordered_at).millis();
  return std::max(attempt.metered_ms, std::min(metered_ms, most));
}

// At the first meter past a month's end: what ran before it is posted in the old month; where that
// was closed by force, at the start of the open one. At most `own_ms` are the member's.
void AccrueMonth(State& state, const AttemptRow& attempt, int64_t metered_ms,
                 int64_t own_ms = INT64_MAX) {
  const PeriodRow* month = PeriodAt(state, Period::kMonth, state.now);
  if (!month || !attempt.metered_at || attempt.metered_at >= month->start_at) return;
  const int64_t since = (state.now - month->start_at).millis();
  const int64_t before = std::max(metered_ms - since, attempt.metered_ms);
  const bool closed = ClosedUntil(state) >= month->start_at;
  PostUpTo(state, attempt, std::min(before, own_ms),
           closed ? month->start_at : month->start_at - Duration::Micros(1));
}

// The same at an end, where the member pays: up to the last checkpoint, if only that counts.
void AccrueEnd(State& state, const AttemptRow& attempt, int64_t metered_ms) {
  const Payer payer = PayerFor(state, attempt.end_reason);
  if (payer == Payer::kMember) AccrueMonth(state, attempt, metered_ms);
  if (payer != Payer::kCheckpoint) return;
  const int64_t saved = attempt.checkpoint_ms;
  AccrueMonth(state, attempt, metered_ms, saved > 0 ? saved : INT64_MAX);
}

void DrainFor(State& state, NodeId node, std::string reason) {
  if (!state.nodes.Find(node)) return;
  NodeRow& row = state.nodes.Edit(node);
  row.drain_wanted = true;
  row.reason = std::move(reason);
  if (row.state == NodeState::kReady) row.state = NodeState::kDraining;
  Log(state, "node", row.name, "DRAINING", row.reason);
  OrdersChanged(state, node);
}

}  // namespace

void OrdersChanged(State& state, NodeId node) {
  if (!state.nodes.Find(node)) return;
  if (state.orders_changed.insert(node).second) ++state.nodes.Edit(node).version;
}

void OrderAttempt(State& state, const Start& start) {
  const JobRow& job = state.jobs.Get(start.task.job);
  TaskRow& task = OwnRow(state, start.task);
  task.exited = false;  // what is known of the attempt before stands in its own row
  task.exit_code = 0;
  task.signal = 0;
  task.end_reason = EndReason::kNone;
  AttemptRow attempt;
  attempt.id = {start.task.job, start.task.index, ++task.attempts};
  attempt.node = start.node;
  attempt.member = job.member;
  attempt.project = job.project;
  attempt.tier = job.tier;
  attempt.units = job.units;
  attempt.gpus = start.gpus;
  attempt.source = start.source;
  attempt.rate = start.rate;
  attempt.weight = UnitWeight(state, job.tier, job.klass, start.rate);
  attempt.time_limit = start.time_limit > Duration() ? start.time_limit : job.time_limit;
  attempt.grace = job.grace;
  const TierRow& tier = state.tiers.Get(job.tier);
  attempt.start_within = kStartPatience + tier.staging_limit;
  attempt.fence = FenceOf(tier, start.source);
  attempt.ordered_at = state.now;
  state.attempts.Put(attempt.id, attempt);
  AddUnits(state, attempt, 1);
  state.node_use[attempt.node].attempts.insert(attempt.id);
  UseOpened(state, attempt);
  TakeHold(state, attempt, start.asset, start.hold);
  SetFreed(state, start.task.job, {});
  CrossThresholds(state, KeyOf(attempt));
  Log(state, "attempt", ToString(attempt.id), "ORDERED", state.nodes.Get(start.node).name);
  MoveTask(state, start.task, TaskState::kStarting, "");
  OrdersChanged(state, attempt.node);
}

void StopAttempt(State& state, const AttemptId& id, StopReason reason, MemberId actor,
                 const std::string& cause) {
  AttemptRow& attempt = state.attempts.Edit(id);
  if (attempt.state == AttemptState::kEnded) return;
  // A cancel overrides a softer stop: the task will not come back.
  const bool cancel = reason == StopReason::kCancelByUser || reason == StopReason::kCancelByAdmin;
  if (attempt.want == Want::kStop && !cancel) return;
  if (attempt.want == Want::kStop && CancelAsked(attempt)) return;
  attempt.want = Want::kStop;
  attempt.stop_reason = reason;
  Log(state, "attempt", ToString(id), "stop", cause.empty() ? std::string(Name(reason)) : cause,
      actor);
  state.to_plan.insert(attempt.tier);  // its room comes back sooner
  if (attempt.state != AttemptState::kUnknown) SetState(state, id, AttemptState::kStopping);
  OrdersChanged(state, attempt.node);
}

void AttemptSeen(State& state, const AttemptId& id, AttemptState seen) {
  const AttemptRow& attempt = state.attempts.Get(id);
  if (attempt.state == AttemptState::kEnded) return;
  if (seen == AttemptState::kUnknown) return SetState(state, id, seen);
  const bool runs = seen == AttemptState::kRunning || seen == AttemptState::kStopping;
  if (runs && !attempt.started_at) {
    AttemptRow& row = state.attempts.Edit(id);
    row.started_at = state.now;
    row.metered_at = state.now;
    state.to_plan.insert(row.tier);  // its limit ends later than was known
    JobStarted(state, id.job);
  }
  if (attempt.want == Want::kStop) seen = AttemptState::kStopping;
  // Work that has started does not go back to starting.
  if (seen == AttemptState::kStarting && attempt.started_at) seen = AttemptState::kRunning;
  SetState(state, id, seen);
}

void EndAttempt(State& state, const AttemptId& id, const End& end) {
  AttemptRow& attempt = state.attempts.Edit(id);
  PINKA_CHECK(attempt.state != AttemptState::kEnded, "an attempt ends once");
  const AttemptState from = attempt.state;
  attempt.state = AttemptState::kEnded;
  attempt.want = Want::kForget;
  attempt.end_reason = Believe(state, attempt, end);
  attempt.exited = end.exited;
  attempt.exit_code = end.exited ? std::clamp(end.exit_code, 0, 255) : 0;  // only when known
  attempt.signal = end.exited ? std::clamp(end.signal, 0, 64) : 0;
  const int64_t metered_ms = Plausible(state, attempt, end.metered_ms);
  attempt.checkpoint_ms = std::min(std::max(attempt.checkpoint_ms, end.checkpoint_ms), metered_ms);
  AccrueEnd(state, attempt, metered_ms);
  attempt.metered_ms = metered_ms;
  attempt.overrun_ms = std::clamp<int64_t>(end.overrun_ms, 0, metered_ms);
  attempt.log_bytes = std::max(attempt.log_bytes, end.log_bytes);
  attempt.peak_memory = std::max(attempt.peak_memory, end.peak_memory);
  attempt.peak_gpu_memory = std::max(attempt.peak_gpu_memory, end.peak_gpu_memory);
  if (!end.message.empty()) attempt.message = end.message;  // else why it was stopped
  attempt.ended_at = state.now;
  attempt.metered_at = state.now;
  LogAttempt(state, attempt, from, std::string(Name(attempt.end_reason)));
  AddUnits(state, attempt, -1);
  UseEnded(state, attempt);
  Settle(state, attempt);
  PostAfter(state, attempt);
  CrossThresholds(state, KeyOf(attempt));
  if (RuleOf(attempt.end_reason).drains_node && !LostItsCard(state, attempt)) {
    DrainFor(state, attempt.node,
             fmt::format("{} on attempt {}", Name(attempt.end_reason), ToString(id)));
  }

  TaskRow& task = state.tasks.Edit(TaskOf(id));
  task.exited = end.exited;
  task.exit_code = attempt.exit_code;
  task.signal = attempt.signal;
  task.end_reason = attempt.end_reason;
  Next next = Decide(state.jobs.Get(id.job), task, attempt);
  // Work of a removed member ends; it does not come back.
  if (IsWaiting(next.state) && state.members.Get(attempt.member).removed)
    next = {TaskState::kCancelled};
  if (next.state == TaskState::kHeld) task.hold_reason = next.hold;
  MoveTask(state, TaskOf(id), next.state, std::string(Name(attempt.end_reason)));
  // Space and money are free again, for everybody.
  PlanAll(state);
  if (end.forgotten) {
    ForgetAttempt(state, id);
  } else {
    OrdersChanged(state, attempt.node);
  }
}

void ForgetAttempt(State& state, const AttemptId& id) {
  AttemptRow& attempt = state.attempts.Edit(id);
  if (attempt.forgotten) return;
  attempt.forgotten = true;
  attempt.uploaded_at = state.now;
  state.forgotten.push_back(id);
  state.node_use[attempt.node].attempts.erase(id);
  OrdersChanged(state, attempt.node);
}

void StoreMeter(State& state, const AttemptId& id, int64_t metered_ms, int64_t log_bytes) {
  const AttemptRow* known = state.attempts.Find(id);
  if (!known || known->state == AttemptState::kEnded) return;
  if (metered_ms <= known->metered_ms && log_bytes <= known->log_bytes) return;
  AttemptRow& attempt = state.attempts.Edit(id);
  metered_ms = Plausible(state, attempt, metered_ms);
  AccrueMonth(state, attempt, metered_ms);
  attempt.metered_ms = metered_ms;
  attempt.log_bytes = std::max(attempt.log_bytes, log_bytes);
  attempt.metered_at = state.now;
  PostAfter(state, attempt);
  if (metered_ms >= attempt.time_limit.millis() && CutByCeiling(state, attempt))
    StopAttempt(state, id, StopReason::kBudget, {});
}

void StoreCheckpoint(State& state, const AttemptId& id, int64_t checkpoint_ms) {
  const AttemptRow* known = state.attempts.Find(id);
  if (!known || known->state == AttemptState::kEnded) return;
  checkpoint_ms = std::min(checkpoint_ms, known->metered_ms);
  if (checkpoint_ms <= known->checkpoint_ms) return;
  state.attempts.Edit(id).checkpoint_ms = checkpoint_ms;
  // What it still needs has changed, and with it where it should run.
  if (const JobRow* job = state.jobs.Find(id.job); job && job->deadline) Requeue(state, *job);
}

void IndexAttempt(State& state, const AttemptRow& attempt) {
  if (!attempt.forgotten) state.node_use[attempt.node].attempts.insert(attempt.id);
  if (attempt.state == AttemptState::kEnded) return;
  AddUnits(state, attempt, 1);
  UseOpened(state, attempt);
}

}  // namespace pinka
