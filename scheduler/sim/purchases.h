// What a lab buys ahead, for a replay: hours as a package, machines by the week.
//
//   a100:1000h=12000   1,000 unit-hours for 12,000, shared by all equally, free to borrow
//   a100:8u=7000       a machine of 8 units at hand all the time, 7,000 for each week of it
#pragma once

#include <string>

#include "base/status.h"
#include "scheduler/sim/replay.h"

namespace pinka::sim {

// Adds it to the input, whose lab must have the tier. Refuses what is no such text.
Status Buy(const std::string& text, ReplayInput* input);

// What was paid for it, used or not, when the replay has gone from start to end.
Money PaidAhead(const ReplayInput& input, Timestamp end);

}  // namespace pinka::sim
