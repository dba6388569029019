#include "scheduler/core/task.h"

#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

// Every change of a count goes through here.
void Count(State& state, JobRow& job, TaskState s, int32_t n) {
  job.counts[static_cast<size_t>(s)] += n;
  if (IsWaiting(s)) state.open_sums[KeyOf(job)].queued += n;
}

int32_t CountOf(const JobRow& job, TaskState s) { return job.counts[static_cast<size_t>(s)]; }

// All tasks are over and not all COMPLETED: the state of the lowest index that is not.
TaskState FirstFailure(const State& state, const JobRow& job) {
  const auto& rows = state.tasks.rows();
  std::optional<std::pair<int32_t, TaskState>> first;
  for (auto it = rows.lower_bound({job.id, 0}); it != rows.end() && it->first.job == job.id; ++it) {
    if (it->second.state == TaskState::kCompleted) continue;
    first = {it->first.index, it->second.state};
    break;
  }
  const auto consider = [&](const RangeSet& ordinals, TaskState s) {
    if (ordinals.empty()) return;
    const int32_t index = IndexAt(state, job, ordinals.First());
    if (!first || index < first->first) first = {index, s};
  };
  consider(job.cancelled, TaskState::kCancelled);
  consider(job.expired, TaskState::kDeadline);
  PINKA_CHECK(first.has_value(), "some task did not complete");
  return first->second;
}

TaskState ComputeState(const State& state, const JobRow& job) {
  for (TaskState s :
       {TaskState::kStarting, TaskState::kRunning, TaskState::kUnknown, TaskState::kStopping}) {
    if (CountOf(job, s) == 0) continue;
    return job.task_count == 1 ? s : TaskState::kRunning;
  }
  if (CountOf(job, TaskState::kPending) > 0) return TaskState::kPending;
  if (CountOf(job, TaskState::kHeld) > 0) return TaskState::kHeld;
  if (CountOf(job, TaskState::kCompleted) == job.task_count) return TaskState::kCompleted;
  return FirstFailure(state, job);
}

}  // namespace

int32_t IndexAt(const State& state, const JobRow& job, int32_t ordinal) {
  const auto& indices = state.job_index.at(job.id).indices;
  return indices.empty() ? ordinal : indices[static_cast<size_t>(ordinal)];
}

std::optional<int32_t> OrdinalOf(const State& state, const JobRow& job, int32_t index) {
  const auto& indices = state.job_index.at(job.id).indices;
  if (indices.empty()) {
    if (index < 0 || index >= job.task_count) return std::nullopt;
    return index;
  }
  auto it = std::ranges::lower_bound(indices, index);
  if (it == indices.end() || *it != index) return std::nullopt;
  return static_cast<int32_t>(it - indices.begin());
}

TaskState StateOf(const State& state, const JobRow& job, int32_t index) {
  if (const TaskRow* row = state.tasks.Find({job.id, index})) return row->state;
  const auto ordinal = OrdinalOf(state, job, index);
  PINKA_CHECK(ordinal.has_value(), "the job has such a task");
  if (job.pending.Contains(*ordinal)) return TaskState::kPending;
  if (job.held.Contains(*ordinal)) return TaskState::kHeld;
  return job.expired.Contains(*ordinal) ? TaskState::kDeadline : TaskState::kCancelled;
}

std::optional<int32_t> NextTask(const State& state, const JobRow& job) {
  const JobIndex& index = state.job_index.at(job.id);
  if (!index.waits.empty()) return NextOfReady(state, job);
  if (!index.waiting_again.empty()) return *index.waiting_again.begin();
  if (job.pending.empty()) return std::nullopt;
  return IndexAt(state, job, job.pending.First());
}

TaskRow& OwnRow(State& state, const TaskId& id) {
  if (state.tasks.Find(id)) return state.tasks.Edit(id);
  JobRow& job = state.jobs.Edit(id.job);
  TaskRow row;
  row.id = id;
  row.state = StateOf(state, job, id.index);
  if (row.state == TaskState::kHeld) row.hold_reason = job.hold_reason;
  const int32_t ordinal = *OrdinalOf(state, job, id.index);
  job.pending.Erase(ordinal);
  job.held.Erase(ordinal);
  job.cancelled.Erase(ordinal);
  job.expired.Erase(ordinal);
  if (row.state == TaskState::kPending) state.job_index[id.job].waiting_again.insert(id.index);
  return state.tasks.Put(id, row);
}

void MoveTask(State& state, const TaskId& id, TaskState to, std::string detail, MemberId actor) {
  TaskRow& task = OwnRow(state, id);
  if (task.state == to) return;
  const TaskState from = task.state;
  PINKA_CHECK(!IsTerminal(from), "a terminal state is for ever");
  JobRow& job = state.jobs.Edit(id.job);
  JobIndex& index = state.job_index[id.job];
  Count(state, job, from, -1);
  Count(state, job, to, 1);
  if (from == TaskState::kPending) index.waiting_again.erase(id.index);
  if (to == TaskState::kPending) index.waiting_again.insert(id.index);
  index.live += static_cast<int>(IsLive(to)) - static_cast<int>(IsLive(from));
  task.state = to;
  if (to != TaskState::kHeld) task.hold_reason = Reason::kOk;
  if (IsTerminal(to)) {
    task.ended_at = state.now;
    TaskEnded(state, id, to);
  }
  Log(state, "task", ToString(id), fmt::format("{} -> {}", Name(from), Name(to)), std::move(detail),
      actor);
  Requeue(state, job);
  SettleJobState(state, id.job);
}

int32_t MoveRanges(State& state, JobId id, const RangeSet& ordinals, RangeMove move,
                   Reason hold_reason) {
  JobRow& job = state.jobs.Edit(id);
  const auto shift = [&](RangeSet& from, TaskState from_state, RangeSet& to, TaskState to_state) {
    const RangeSet moved = from.Intersect(ordinals);
    for (const RangeSet::Range& r : moved.ranges()) {
      from.EraseRange(r.begin, r.end);
      to.InsertRange(r.begin, r.end);
    }
    const int32_t n = static_cast<int32_t>(moved.size());
    Count(state, job, from_state, -n);
    Count(state, job, to_state, n);
    return n;
  };
  int32_t moved = 0;
  switch (move) {
    case RangeMove::kHold:
      if (job.hold_reason != Reason::kHeldByAdmin) {
        // One reason for all of `held`: an admin's hold is not weakened by the owner's.
        if (!job.pending.Intersect(ordinals).empty()) job.hold_reason = hold_reason;
      }
      moved = shift(job.pending, TaskState::kPending, job.held, TaskState::kHeld);
      break;
    case RangeMove::kRelease:
      moved = shift(job.held, TaskState::kHeld, job.pending, TaskState::kPending);
      if (job.held.empty()) job.hold_reason = Reason::kOk;
      break;
    case RangeMove::kCancel:
      moved = shift(job.pending, TaskState::kPending, job.cancelled, TaskState::kCancelled) +
              shift(job.held, TaskState::kHeld, job.cancelled, TaskState::kCancelled);
      if (job.held.empty()) job.hold_reason = Reason::kOk;
      if (moved > 0) TasksLost(state, job.id);
      break;
    case RangeMove::kExpire:
      moved = shift(job.pending, TaskState::kPending, job.expired, TaskState::kDeadline) +
              shift(job.held, TaskState::kHeld, job.expired, TaskState::kDeadline);
      if (job.held.empty()) job.hold_reason = Reason::kOk;
      if (moved > 0) TasksLost(state, job.id);
      break;
  }
  if (moved > 0) {
    Requeue(state, job);
    SettleJobState(state, id);
  }
  return moved;
}

void Dequeue(State& state, const JobRow& job) {
  Queue& queue = state.queues[job.tier][ShareKeyOf(job)];
  queue.young.erase({YoungKey(state, job), job.submitted_at, job.id});
  queue.capped.erase({CappedKey(state, job), job.submitted_at, job.id});
  state.age_caps.erase({job.eligible_at + kAgeCap, job.id});
  if (queue.empty()) state.queues[job.tier].erase(ShareKeyOf(job));
}

void Requeue(State& state, const JobRow& job) {
  state.to_plan.insert(job.tier);
  Dequeue(state, job);
  SetTimer(state, job);
  if (CountOf(job, TaskState::kPending) == 0 || NotYet(state, job)) return;
  Queue& queue = state.queues[job.tier][ShareKeyOf(job)];
  const Timestamp cap = job.eligible_at + kAgeCap;
  if (cap > state.now) {
    queue.young.insert({YoungKey(state, job), job.submitted_at, job.id});
    state.age_caps.emplace(cap, job.id);
  } else {
    queue.capped.insert({CappedKey(state, job), job.submitted_at, job.id});
  }
}

void RequeueTier(State& state, TierId tier) {
  state.queues.erase(tier);
  for (const auto& [id, job] : state.jobs.rows()) {
    if (job.tier == tier && !IsTerminal(job.state)) Requeue(state, job);
  }
  state.to_plan.insert(tier);
}

void SetFreed(State& state, JobId id, Timestamp at) {
  if (state.jobs.Get(id).freed_at == at) return;
  state.jobs.Edit(id).freed_at = at;
  if (at) {
    state.freed.insert(id);
  } else {
    state.freed.erase(id);
  }
}

void SettleJobState(State& state, JobId id) {
  const TaskState computed = ComputeState(state, state.jobs.Get(id));
  if (state.jobs.Get(id).state == computed) return;
  JobRow& job = state.jobs.Edit(id);
  job.state = computed;
  if (!IsTerminal(computed)) return;
  SetFreed(state, id, {});
  job.ended_at = state.now;
  state.ended_jobs.emplace(state.now + kKeepEnded, id);
  JobEnded(state, job);
  Log(state, "job", std::to_string(id.value()), "ended", std::string(Name(computed)));
}

void IndexJob(State& state, const JobRow& job) {
  JobIndex& index = state.job_index[job.id];
  if (job.freed_at) state.freed.insert(job.id);
  if (!job.array.empty()) {
    const auto spec = ParseArraySpec(job.array, state.lab.max_array);
    PINKA_CHECK(spec.ok(), "a stored array spec parses");
    const bool plain = spec->indices.front() == 0 &&
                       spec->indices.back() == static_cast<int32_t>(spec->indices.size()) - 1;
    if (!plain) index.indices = spec->indices;
  }
  if (IsTerminal(job.state)) {
    state.ended_jobs.emplace(job.ended_at + kKeepEnded, job.id);
    return;
  }
  const auto& rows = state.tasks.rows();
  for (auto it = rows.lower_bound({job.id, 0}); it != rows.end() && it->first.job == job.id; ++it) {
    if (it->second.state == TaskState::kPending) index.waiting_again.insert(it->first.index);
    if (IsLive(it->second.state)) ++index.live;
  }
  state.open_sums[KeyOf(job)].queued +=
      CountOf(job, TaskState::kPending) + CountOf(job, TaskState::kHeld);
}

}  // namespace pinka
