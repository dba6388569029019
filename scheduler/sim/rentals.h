// What a simulated lab does about its machines' paid up-time, as an admin's commands: core opens a
// rental where a machine comes and its tier has a billing rule; the provider's clock stands while
// it is away.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka::sim {

// For machines that went away (false) or came back since the last time.
std::vector<Command> TurnsOfRentals(const State& state, const Actor& admin,
                                    const std::map<std::string, bool>& turned);
// All machines are given back.
std::vector<Command> EndsOfRentals(const State& state, const Actor& admin);

}  // namespace pinka::sim
