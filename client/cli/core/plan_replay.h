// The lab's own history played through the simulator, once for each plan and seed: what the same
// jobs would have cost, and how long they would have waited. Pure but for RunReplays.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "pinka/v1/advice.pb.h"
#include "pinka/v1/job.pb.h"
#include "pinka/v1/report.pb.h"

namespace pinka::cli {

// What ran, as a trace: a line for each task, its duration the job's time divided by its tasks.
// Jobs of which the usage knows nothing did not run and are left out, as are those of no planned
// tier.
struct HistoryTrace {
  std::string csv;
  int64_t tasks = 0;
  std::map<std::string, int32_t> widest;  // units of the widest job of each tier
};
HistoryTrace TraceOf(const std::vector<v1::Job>& jobs, const v1::GetUsageResponse& by_job,
                     const v1::AdvisePlanResponse& plan);

// The planned tiers with their prices, each unit one card.
std::string LabOf(const v1::AdvisePlanResponse& plan, const std::string& zone);

// on_demand, then every other way that some tier has, then "advised": the cheapest of each tier.
std::vector<std::string> PlansOf(const v1::AdvisePlanResponse& plan);

// The words of pinka-simulate for one plan. Where a tier does not have that way it is on demand.
std::vector<std::string> WordsOf(const v1::AdvisePlanResponse& plan, const HistoryTrace& trace,
                                 const std::string& name);

// Files in a directory of its own, which is removed.
Status RunReplays(const HistoryTrace& trace, const std::string& zone, int seeds,
                  v1::AdvisePlanResponse* plan);

}  // namespace pinka::cli
