// The dependencies of a request: read, resolved to jobs, refused where they name nobody or run in a
// ring (semantics.md 4). Facts of parents that have left memory come attached (design.md 3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/command.h"
#include "scheduler/core/dependency.h"
#include "scheduler/core/state.h"

namespace pinka {

struct Parents {
  Dependency written;  // of job ids only
  Dependency waits;    // less what ended jobs outside of memory have decided
};

// Exactly one of: refused, need (attach these and ask again), one Parents a job.
struct Resolution {
  std::optional<Reply> refused;
  std::vector<JobId> need;
  std::vector<Parents> jobs;
};

// Refused, in this order: what does not parse; a ref given twice or to nobody; a job that is
// unknown, or another member's where the lab is closed; a ring, spelled out ("@a → @b → @a"). The
// jobs' ids are those that they are about to get.
Resolution ResolveParents(const State& state, const SubmitJobs& command);
// The same of `edit --dependency`. The ring is one of ids ("17 → 18 → 17").
Resolution ResolveParents(const State& state, const EditJob& command, const JobRow& job);

// The ring that another name of a job would close through singletons; "" where there is none.
std::string RingOfName(const State& state, const JobRow& job, int64_t name_hash);

}  // namespace pinka
