// The lab's own history, one task a line: what `pinkad trace` prints and `pinka simulate` plays.
#pragma once

#include <string>
#include <vector>

#include "db/pool.h"

namespace pinka::db {

struct TraceTask {
  Timestamp waits_from;  // its submit, or when its begin and dependency let it wait in the queue
  Duration run;          // that it needed: what was lost and done again counts once
  int32_t gpus = 0;      // units of a tier without cards
  std::string member;
  std::string tier;
  TaskState state = TaskState::kCompleted;
  Timestamp deadline;  // none: no deadline
  Duration time_limit;
};

// Of all tasks that have run and are over, by `waits_from`.
StatusOr<std::vector<TraceTask>> ReadTrace(ReadPool& pool);

}  // namespace pinka::db
