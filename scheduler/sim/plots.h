// A page with what a replay did over time: one file, drawn as SVG within, no scripts, nothing
// loaded.
#pragma once

#include <string>

#include "scheduler/sim/figures.h"
#include "scheduler/sim/print.h"

namespace pinka::sim {

// Utilisation of each tier over time, and each member's part of what was used. Times are split into
// at most 240 equal parts; members beyond the eleven who used most are one, "others".
std::string PlotsHtml(const ReplayResult& result, const Figures& figures, const RunFacts& facts);

}  // namespace pinka::sim
