// The billing rules of a tier in a lab file:
//
//   billing = {on_demand = {preset = "autodl", provider = "autodl", rate = "12.00"},
//              owned = {watts = 350, kwh_price = "0.62", wear = "0.40"}}
//
// A preset is a provider's way of billing; every key of it may be said otherwise. What one's own
// machine costs an hour is watts / 1000 x price of a kWh, plus wear, each for one unit.
//   autodl  by the second, each stretch up to 0.01, cut at the full hour of UTC+8
//   aws     by the second, at least 60 s; 2 min notice of a reclaim
//   gcp     by the second, at least 60 s; 30 s notice
//   hourly  whole hours
//   second  by the second
#pragma once

#include <vector>

#include "scheduler/api/toml_section.h"
#include "scheduler/core/rows.h"

namespace pinka::api {

// Tier and valid_from unset.
std::vector<BillingRow> ReadBilling(const toml::table& table, TomlErrors& errors);

}  // namespace pinka::api
