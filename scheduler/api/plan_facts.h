// What AdvisePlan knows of the lab: each tier with its rates and with what was used of it, hour by
// hour.
#pragma once

#include <vector>

#include "advise/plan_answer.h"
#include "db/reads_usage.h"
#include "scheduler/core/board.h"

namespace pinka::api {

// The window of the history: whole hours, 28 days before now where nothing is said.
struct PlanWindow {
  Timestamp from;
  Timestamp to;
};
StatusOr<PlanWindow> WindowOf(const v1::AdvisePlanRequest& request, Timestamp now);

// Hours before the first use of any tier are left out: the lab may be younger than the window.
std::vector<advise::PlanTier> PlanTiers(const Board& board, const PlanWindow& window,
                                        const std::vector<db::HourLine>& lines);

}  // namespace pinka::api
