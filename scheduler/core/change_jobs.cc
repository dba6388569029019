// cancel, hold, release, requeue: of whole jobs or of some indices.
#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/task.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// The tasks a slice names, by how they are kept.
struct Chosen {
  RangeSet ordinals;             // of those without a row
  std::vector<TaskId> own_rows;  // in order
};

std::optional<Chosen> Choose(const State& state, const JobRow& job, const RangeSet& indices) {
  Chosen chosen;
  if (indices.empty()) {
    chosen.ordinals = RangeSet::Of(0, job.task_count);
  } else {
    for (const RangeSet::Range& r : indices.ranges()) {
      for (int32_t index = r.begin; index < r.end; ++index) {
        const auto ordinal = OrdinalOf(state, job, index);
        if (!ordinal) return std::nullopt;
        chosen.ordinals.Insert(*ordinal);
      }
    }
  }
  const auto& rows = state.tasks.rows();
  for (auto it = rows.lower_bound({job.id, 0}); it != rows.end() && it->first.job == job.id; ++it) {
    if (indices.empty() || indices.Contains(it->first.index)) chosen.own_rows.push_back(it->first);
  }
  return chosen;
}

const AttemptRow* OpenAttempt(const State& state, const TaskRow& task) {
  return state.attempts.Find({task.id.job, task.id.index, task.attempts});
}

bool StopTask(State& state, const TaskRow& task, StopReason reason, MemberId actor) {
  const AttemptRow* attempt = OpenAttempt(state, task);
  if (!attempt || attempt->state == AttemptState::kEnded) return false;
  StopAttempt(state, attempt->id, reason, actor);
  return true;
}

int32_t Cancel(State& state, const JobRow& job, const Chosen& chosen, const Actor& actor,
               MemberId owner) {
  const StopReason reason =
      actor.member == owner ? StopReason::kCancelByUser : StopReason::kCancelByAdmin;
  int32_t changed = 0;
  for (const TaskId& id : chosen.own_rows) {
    const TaskRow task = state.tasks.Get(id);
    if (IsTerminal(task.state)) continue;
    if (IsLive(task.state)) {
      changed += StopTask(state, task, reason, actor.member);
    } else {
      MoveTask(state, id, TaskState::kCancelled, "", actor.member);
      ++changed;
    }
  }
  return changed + MoveRanges(state, job.id, chosen.ordinals, RangeMove::kCancel, Reason::kOk);
}

int32_t Hold(State& state, const JobRow& job, const Chosen& chosen, const Actor& actor,
             MemberId owner) {
  const Reason reason = actor.member == owner ? Reason::kHeldByUser : Reason::kHeldByAdmin;
  int32_t changed = 0;
  for (const TaskId& id : chosen.own_rows) {
    if (state.tasks.Get(id).state != TaskState::kPending) continue;
    state.tasks.Edit(id).hold_reason = reason;
    MoveTask(state, id, TaskState::kHeld, std::string(Name(reason)), actor.member);
    ++changed;
  }
  return changed + MoveRanges(state, job.id, chosen.ordinals, RangeMove::kHold, reason);
}

// A member may not lift an admin's hold.
bool MayRelease(const Actor& actor, Reason hold) {
  return actor.admin || hold != Reason::kHeldByAdmin;
}

int32_t Release(State& state, const JobRow& job, const Chosen& chosen, const Actor& actor) {
  int32_t changed = 0;
  for (const TaskId& id : chosen.own_rows) {
    const TaskRow task = state.tasks.Get(id);
    if (task.state != TaskState::kHeld || !MayRelease(actor, task.hold_reason)) continue;
    TaskRow& row = state.tasks.Edit(id);
    row.hold_reason = Reason::kOk;
    row.infra_restarts = 0;
    MoveTask(state, id, TaskState::kPending, "released", actor.member);
    ++changed;
  }
  if (!MayRelease(actor, job.hold_reason)) return changed;
  return changed + MoveRanges(state, job.id, chosen.ordinals, RangeMove::kRelease, Reason::kOk);
}

int32_t RequeueLive(State& state, const Chosen& chosen, const Actor& actor) {
  int32_t changed = 0;
  for (const TaskId& id : chosen.own_rows) {
    const TaskRow task = state.tasks.Get(id);
    if (IsLive(task.state)) changed += StopTask(state, task, StopReason::kRequeue, actor.member);
  }
  return changed;
}

Reply::PerSlice Missing(JobId id) {
  return {0, fmt::format("no such job {}", id.value()), Reason::kNoSuchJob};
}

// A job that has left memory: known from what was attached.
Reply::PerSlice OfEnded(const ChangeJobs& command, JobId id) {
  auto it = std::ranges::find(command.ended, id, &EndedJob::id);
  if (it == command.ended.end() || !it->member || !MayActFor(command.actor, it->member))
    return Missing(id);
  if (command.verb == JobVerb::kRequeue) {
    return {0, "has ended; `pinka resubmit` makes a new job of it", Reason::kAlreadyFinished};
  }
  return {0, "already finished", Reason::kOk};
}

Reply::PerSlice Change(State& state, const ChangeJobs& command, const Slice& slice) {
  const JobRow* job = state.jobs.Find(slice.job);
  if (!job) return OfEnded(command, slice.job);
  if (!MayActFor(command.actor, job->member)) return Missing(slice.job);
  const auto chosen = Choose(state, *job, slice.indices);
  if (!chosen) {
    return {0, fmt::format("job {} has no such task; its array is {}", job->id.value(), job->array),
            Reason::kNoSuchTask};
  }
  if (IsTerminal(job->state)) {
    if (command.verb == JobVerb::kRequeue) {
      return {0, "has ended; `pinka resubmit` makes a new job of it", Reason::kAlreadyFinished};
    }
    return {0, "already finished", Reason::kOk};
  }
  const MemberId owner = job->member;
  int32_t changed = 0;
  switch (command.verb) {
    case JobVerb::kCancel:
      changed = Cancel(state, *job, *chosen, command.actor, owner);
      return {changed, changed == 0 ? "already finished" : "", Reason::kOk};
    case JobVerb::kHold:
      changed = Hold(state, *job, *chosen, command.actor, owner);
      return {changed, changed == 0 ? "nothing of it waits" : "", Reason::kOk};
    case JobVerb::kRelease:
      changed = Release(state, *job, *chosen, command.actor);
      if (changed == 0 && job->hold_reason == Reason::kHeldByAdmin && !command.actor.admin) {
        return {0, "is held by an admin; ask them to release it", Reason::kNotPermitted};
      }
      return {changed, changed == 0 ? "nothing of it is held" : "", Reason::kOk};
    case JobVerb::kRequeue:
      changed = RequeueLive(state, *chosen, command.actor);
      return {changed, changed == 0 ? "nothing of it runs" : "", Reason::kOk};
  }
  return {};
}

}  // namespace

Reply Do(State& state, const ChangeJobs& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) {
    // What these verbs change is seen in the job; a repeat has nothing left to do.
    if (known->reason == Reason::kOk) known->slices.resize(command.slices.size());
    return *known;
  }
  Reply reply;
  for (const Slice& slice : command.slices) {
    const bool attached =
        std::ranges::find(command.ended, slice.job, &EndedJob::id) != command.ended.end();
    if (!state.jobs.Find(slice.job) && !attached) reply.need.push_back(slice.job);
  }
  if (!reply.need.empty()) return reply;
  for (const Slice& slice : command.slices) reply.slices.push_back(Change(state, command, slice));
  Remember(state, command.actor, command.request, false, 0,
           static_cast<int64_t>(command.slices.size()));
  return reply;
}

}  // namespace pinka
