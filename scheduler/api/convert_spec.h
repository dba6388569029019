// A JobSpec as people send it into what core judges: forms checked, names resolved to ids, and what
// the agent needs packed into a payload named by its hash. Refusals name the field and the limit.
#pragma once

#include <optional>

#include "base/status.h"
#include "db/reads_jobs.h"
#include "pinka/v1/job.pb.h"
#include "scheduler/core/board.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// Order: sizes, argv and environment, texts, numbers, array, dependency and times, project, tier.
StatusOr<JobRequest> ConvertSpec(const v1::JobSpec& spec, const Board& board);
// A refusal that names the nearest tier.
Status NoSuchTier(const std::string& name, const Board& board);
// How many tasks it makes.
int32_t CountTasks(const JobRequest& request, const Board& board);

// "36", "36_1", "36_[1-3,7]".
StatusOr<Slice> ConvertSlice(const std::string& text);

// A quote: units x limit x rate x tasks, by what would pay for it or else by the rate in force of
// what it asks for; at most its ceiling. Without amounts where there is none. What it will likely
// cost is by the run time that was usual for the member, where there is one.
void FillQuote(const JobRequest& request, const Board& board, v1::Quote* out,
               std::optional<Priced> price = std::nullopt,
               const std::optional<db::UsualRun>& usual = std::nullopt);

}  // namespace pinka::api
