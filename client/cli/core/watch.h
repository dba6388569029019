// Waiting for jobs to end.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/outcome.h"
#include "client/cli/core/session.h"

namespace pinka::cli {

// "36", "36_1", "36_[1-3,7]"; the sentence of a refusal names the one that is wrong.
StatusOr<std::vector<JobSlice>> ParseSlices(const std::vector<std::string>& texts);
// "17", or "17_3" of which the job counts.
StatusOr<int64_t> ParseJobId(const std::string& text);

// Returns when all are over, with their last rows. A server that is away is waited for, five
// minutes at most; on a terminal a line says what is waited for.
StatusOr<std::vector<Watched>> WaitForEnd(Session& session, const std::vector<JobSlice>& slices);

// Returns when the job has left PENDING and HELD.
StatusOr<v1::Job> WaitForStart(Session& session, int64_t job_id);

// The answer of `wait` and `submit --wait`: a line a job, or JSON.
void PrintOutcomes(Session& session, const std::vector<Watched>& watched);

}  // namespace pinka::cli
