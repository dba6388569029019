// After so many spot machines were taken from under a task as its tier says (on_demand_after), the
// task goes on where machines stay. A machine that vanished on a task counts like one whose
// provider gave notice: not every provider does.
#pragma once

#include <vector>

#include "scheduler/core/sources.h"
#include "scheduler/core/state.h"

namespace pinka {

// Whether this task has lost as many as its tier says.
bool HasLeftSpot(const State& state, const JobRow& job, int32_t index);

// Takes spot out of the offers to the job's next task if it has lost enough, the job leaves the
// source open, and another way of paying is offered.
void LeaveSpot(const State& state, const JobRow& job, std::vector<Offer>& offers);

}  // namespace pinka
