// The command line of pinka-simulate. client/cli/simulate.cc passes the same options on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "scheduler/sim/headline.h"
#include "scheduler/sim/scenario.h"

namespace pinka::sim {

struct SimulateOptions {
  std::string trace;
  std::string lab;
  std::string spot;
  std::string spot_zone;
  std::string html;
  std::optional<Synthesis> synthesis;
  bool json = false;
  bool help = false;
  Scenario scenario;  // lab and spot are read later
};

// Refuses what it does not know, naming the nearest, and values that are none.
StatusOr<SimulateOptions> ParseSimulateOptions(const std::vector<std::string>& words);

std::string SimulateHelp();

}  // namespace pinka::sim
