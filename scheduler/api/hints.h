// What speaks for another way of running a job, before it is paid for: it will not fit, its limit
// is too short or far too long, a cheaper tier would do, a provider's minimum costs more than the
// work. By the member's own runs, billing rules and the estimate of memory. Hints never refuse.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "db/reads_jobs.h"
#include "pinka/v1/job.pb.h"
#include "scheduler/core/board.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// In the order of Hint.Kind. `quote` is what FillQuote says of the request; `past` as the database
// gives it: the same command before the same name.
std::vector<v1::Hint> HintsFor(const JobRequest& request, const v1::Workload* workload,
                               const Board& board, const v1::Quote& quote,
                               const std::vector<db::PastRuns>& past);
// What of them a tier that says `advice = "refuse"` does not take: work that will not fit, or not
// end in time, unless --skip-gate says why. "" where it takes the job.
std::string RefusedByAdvice(const JobRequest& request, const Board& board,
                            const std::vector<v1::Hint>& hints);
bool AdviceMayRefuse(const JobRequest& request, const Board& board);
// Whether the estimate understands the workload of each spec that has one.
Status CheckWorkload(const v1::JobSpec& spec);

}  // namespace pinka::api
