// When a waiting job may stand in its queue: begin time, nights, dependencies, deadline
// (semantics.md 4 and 6). A job that may not start yet stands in no queue, so that no pass judges
// it; `timers` and the ends of its parents bring it back.
//
// Events only note who is concerned (state.recheck); SettleWaits, at the end of every command and
// after each timer, judges them until nothing moves. So dependants follow in the same pass, and a
// chain of any length is a loop, not a recursion.
#pragma once

#include <optional>

#include "scheduler/core/limits.h"
#include "scheduler/core/state.h"

namespace pinka {

// Why no task of it may start yet: BeginTime, NightWindow, Dependency; nothing where one may.
std::optional<Reason> NotYet(const State& state, const JobRow& job);
// The same with a sentence that names the open parents.
std::optional<Blocked> NotYetInWords(const State& state, const JobRow& job);
// "job 17 did not succeed …": what can no longer be met, of a job that waits or that ended for it.
std::string NeverInWords(const Dependency& waits);

// The next task where a dependency is open: only one that is let through for itself.
std::optional<int32_t> NextOfReady(const State& state, const JobRow& job);

// The first of the member's jobs of this name that has not ended.
JobId FirstNamesake(const State& state, MemberId member, int64_t name);

// Events.
void TaskEnded(State& state, const TaskId& id, TaskState as);
void TasksLost(State& state, JobId job);  // some waiting ones ended without a row
void JobEnded(State& state, const JobRow& job);
void JobStarted(State& state, JobId job);  // an attempt of it has begun to run
void NightsChanged(State& state);
void RunTimers(State& state);  // those due now

// Judges all that events have noted.
void SettleWaits(State& state);

// After its waiting tasks, times or dependency have changed (task.cc, Requeue).
void SetTimer(State& state, const JobRow& job);
// The dependency that it waits for from now on. Age stands still while one is open: meanwhile
// eligible_at is submitted_at less the age so far.
void SetWaits(State& state, JobId job, Dependency waits);
// A job's name, for singleton.
int64_t NameHash(const std::string& name);
void SetName(State& state, JobId job, int64_t name_hash);

// At load, once all jobs are known, and of a new job: its indexes, and its place in the queue.
void IndexWaits(State& state, const JobRow& job);

}  // namespace pinka
