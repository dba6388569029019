// A job's sweep: from the texts that people write to the payload's keys, and back.
#pragma once

#include <vector>

#include "base/status.h"
#include "base/sweep.h"
#include "pinka/v1/agent.pb.h"
#include "pinka/v1/job.pb.h"

namespace pinka::api {

// Checked whole; no keys where the job has no sweep. Refused: with an array, more tasks than
// `most`, and what base/sweep.h refuses.
StatusOr<std::vector<SweepKey>> ConvertSweep(const v1::JobSpec& spec, int32_t most);
// The spec with every argument as long as some task has it: what sizes are judged by.
v1::JobSpec LongestOf(const v1::JobSpec& spec, const std::vector<SweepKey>& keys);

void PackSweep(const std::vector<SweepKey>& keys, v1::Payload* out);
std::vector<SweepKey> SweepOf(const v1::Payload& payload);

}  // namespace pinka::api
