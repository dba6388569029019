// Tasks and their job: the only functions that move a task between states. They keep the job's
// counts and state, its place in the queue, and the event log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/state.h"

namespace pinka {

// Ordinal and array index of a job's tasks.
int32_t IndexAt(const State& state, const JobRow& job, int32_t ordinal);
std::optional<int32_t> OrdinalOf(const State& state, const JobRow& job, int32_t index);

// The state of one task: from its row, else from the job's ranges.
TaskState StateOf(const State& state, const JobRow& job, int32_t index);

// The task that a job would start next, of those whose dependency is met: one that waits again
// first, else the lowest pending.
std::optional<int32_t> NextTask(const State& state, const JobRow& job);

// A task that has, or is about to get, a row of its own. Its first call takes it out of the ranges.
TaskRow& OwnRow(State& state, const TaskId& id);
// Moves a task with a row. `detail` is for the event.
void MoveTask(State& state, const TaskId& id, TaskState to, std::string detail,
              MemberId actor = {});

// Moves all tasks of `ordinals` that wait in a range: pending -> held and so on. How many moved.
enum class RangeMove : int8_t { kHold, kRelease, kCancel, kExpire };
int32_t MoveRanges(State& state, JobId job, const RangeSet& ordinals, RangeMove move,
                   Reason hold_reason);

// Takes the job out of its queue or puts it where it belongs; after any change of its waiting
// tasks or of what orders it. One that may not start yet (waits.h) stands in none.
void Dequeue(State& state, const JobRow& job);  // before its place or age changes
void Requeue(State& state, const JobRow& job);
void RequeueTier(State& state, TierId tier);

// Room was freed for it, or (none) it has started or needs none any more.
void SetFreed(State& state, JobId job, Timestamp at);

// Recomputes the job's state from its counts (semantics.md 6) and ends it where all is over.
void SettleJobState(State& state, JobId job);

// At load, and of a new job: counts and waiting tasks into the indexes. Its place in the queue
// comes when all jobs are known (IndexWaits).
void IndexJob(State& state, const JobRow& job);

}  // namespace pinka
