// AdvisePlan answered: prices from offers, tiers and usual ratios, months from what was used or
// stated, and the plan in words.
#pragma once

#include <string>
#include <vector>

#include "advise/plan.h"
#include "base/status.h"
#include "pinka/v1/advice.pb.h"

namespace pinka::advise {

// What the lab knows of a tier; without a lab, what is stated.
struct PlanTier {
  std::string name;
  Rate on_demand;  // 0: none
  Rate spot;
  HourlyUse use;
};

// `tiers` as the lab has them, those without use left out of the answer. Refuses prices and amounts
// that make no sense, and offers for tiers that nobody names.
StatusOr<v1::AdvisePlanResponse> AdvisePlan(const v1::AdvisePlanRequest& request,
                                            const std::string& currency,
                                            std::vector<PlanTier> tiers);

}  // namespace pinka::advise
