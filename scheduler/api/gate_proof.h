// The promotion gate's part in the api: what the database knows of earlier successes, and the
// command that would make one.
#pragma once

#include <string>
#include <vector>

#include "db/pool.h"
#include "pinka/v1/job.pb.h"
#include "scheduler/core/board.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// What follows `pinka submit --tier T --time D` so that the same code runs: directory, variables,
// sweep, then the command or the script. Variables that would make it long are only spoken of.
std::string CodeOnCommandLine(const v1::JobSpec& spec);

// Whether some tier of the jobs has a gate: only then is a read worth its time.
bool AnyGate(const std::vector<JobRequest>& jobs, const Board& board);
// SubmitJobs::proven of these jobs of `member`: of the tiers where the code has succeeded within
// the gate's time the gate's own, else the dearest. Blocks on the database.
StatusOr<std::vector<TierId>> ReadProof(db::ReadPool& database, const std::vector<JobRequest>& jobs,
                                        MemberId member, const Board& board);

}  // namespace pinka::api
