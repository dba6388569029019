// What a lab file says of cards, beside the catalogue: prices and observations with the day on
// which they were read, and facts of cards that the catalogue lacks. A [[card]] says all of it: it
// replaces what was said before.
//
//   [[card]]
//   name = "rtx4090"
//   price = "3.50"          # an hour of one card; price_to = "4.20" makes it a range
//   priced_on = "2026-11-20"
//   observation = "trains about 15 % faster than a 3090 at AutoDL"
//   observed_on = "2026-11-20"
#pragma once

#include "scheduler/api/toml_section.h"
#include "scheduler/core/rows.h"

namespace pinka::api {

// The name as written; which card it means is for whoever knows the catalogue.
CardRow ReadCard(const toml::table& table, TomlErrors& errors);

}  // namespace pinka::api
