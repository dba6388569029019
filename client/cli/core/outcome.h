// How a job ended, as an exit code (semantics.md 11). Pure.
#pragma once

#include <string>
#include <vector>

#include "base/ranges.h"
#include "pinka/v1/job.pb.h"

namespace pinka::cli {

bool IsTerminal(v1::TaskState::Value state);

// A job or some of its tasks, with the newest that is known of it.
struct Watched {
  JobSlice slice;
  v1::Job job;
};

// All tasks of the slice are terminal. A task without a row of its own has the job's state.
bool IsOver(const Watched& watched);

// The code of `run`, `submit --wait` and `wait`. One task: its own code, 128+n for a signal, 1
// where it ended 0 but was not COMPLETED (a limit, a cancel), 125 where it never ran or nobody
// knows. Several, or an array: 0 if all COMPLETED, else 1.
int ExitCodeOf(const std::vector<Watched>& watched);

// "17 COMPLETED", "17_3 FAILED, exit 3", "17 TIMEOUT, signal 15".
std::string Describe(const Watched& watched);

// "COMPLETED" as the wire names it.
std::string StateName(v1::TaskState::Value state);
std::string AttemptStateName(v1::AttemptState::Value state);
// "exit 3", "signal 9"; "" where nothing is known.
std::string EndText(const v1::Task& task);

}  // namespace pinka::cli
