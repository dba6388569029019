// Figures for people, and for programs.
#pragma once

#include <string>

#include "scheduler/sim/figures.h"

namespace pinka::sim {

// What was asked for, and what the machine it ran on took.
struct RunFacts {
  std::string trace;
  std::string policy;
  uint64_t seed = 0;
  bool money = false;
  Timestamp as_of;     // the simulated end
  Money paid;          // to providers: packages and weeks whole, used or not
  double seconds = 0;  // of this machine; below 0: not told
};

// Tables within `columns` columns, 80 at least. From 110 on members have more columns.
std::string PrintFigures(const Figures& figures, const RunFacts& facts, int columns);
// One line of JSON; equal for equal inputs, but for seconds and eventsPerSecond at its end.
std::string FiguresJson(const Figures& figures, const RunFacts& facts);

// "4h12m", "3d07h", "12.5s"
std::string ShortSpan(double seconds);

}  // namespace pinka::sim
