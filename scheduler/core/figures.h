// What those who watch a lab from outside (Prometheus) are told: counts and sums, no member's name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/money.h"
#include "base/time.h"
#include "scheduler/core/types.h"

namespace pinka {

struct State;

struct Figures {
  struct Tier {
    std::string name;
    int64_t units = 0, free = 0;        // of nodes that are not removed; of ready ones
    std::array<int64_t, 6> tasks = {};  // by TaskState, of those that have not ended
    std::array<int64_t, 8> nodes = {};  // by NodeState
    Duration oldest_wait;               // of its jobs that may start
    Money charged;                      // this month, to members
    int64_t unit_ms = 0;                // this month
  };
  struct Limit {
    std::string scope;  // "lab", "project:p"
    std::string tier;   // "": all
    LimitResource resource = LimitResource::kMoney;
    int64_t used = 0, amount = 0;  // micro-units, units, tasks or unit-milliseconds
  };
  std::vector<Tier> tiers;
  std::vector<Limit> limits;  // of the lab and of projects, bounded ones
  int64_t members = 0;
  int64_t open_holds = 0;
  Money held, available;  // of all money lots that can be drawn now
  int64_t rentals = 0;    // open
};

Figures FiguresOf(const State& state);

}  // namespace pinka
