// Attempts: ordered, started, stopped, ended. The only functions that move one.
#pragma once

#include <string>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

// The orders of this node are to be published after the commit.
void OrdersChanged(State& state, NodeId node);

// Where a task is to start: chosen by plan.h, done here. Takes the hold.
struct Start {
  TaskId task;
  NodeId node;
  std::vector<int32_t> gpus;
  Source source = Source::kOnDemand;
  Rate rate;
  AssetId asset;  // of the hold
  Money hold;
  Duration time_limit = Duration();  // the job's, or what its ceiling covers of it
};
void OrderAttempt(State& state, const Start& start);

// Asks the node to end it; the end comes back as a report. `cause` is for the event.
void StopAttempt(State& state, const AttemptId& id, StopReason reason, MemberId actor,
                 const std::string& cause = "");

// The node has seen it in this state (not ended).
void AttemptSeen(State& state, const AttemptId& id, AttemptState seen);

// It is over, for this reason: settles, frees the node, and decides what its task does next.
struct End {
  EndReason reason = EndReason::kNone;
  bool exited = false;
  int32_t exit_code = 0;
  int32_t signal = 0;
  int64_t metered_ms = 0;
  int64_t overrun_ms = 0;
  int64_t log_bytes = 0;
  std::string message;
  bool forgotten = false;  // the node has no record of it, or is no more
  int64_t checkpoint_ms = 0;
  int64_t peak_memory = 0;
  int64_t peak_gpu_memory = 0;
};
void EndAttempt(State& state, const AttemptId& id, const End& end);

// The node has dropped its record.
void ForgetAttempt(State& state, const AttemptId& id);

// A newer meter, bounded by the server's own times. The first one past a month's end posts what ran
// before it in the old month; so does an end that the member pays. Work that has run for all that
// its job's ceiling covers is stopped.
void StoreMeter(State& state, const AttemptId& id, int64_t metered_ms, int64_t log_bytes);

// A checkpoint at `checkpoint_ms` of its run time: never back, never above the meter.
void StoreCheckpoint(State& state, const AttemptId& id, int64_t checkpoint_ms);

// At load.
void IndexAttempt(State& state, const AttemptRow& attempt);

}  // namespace pinka
