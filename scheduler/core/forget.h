// What memory need not keep: the database holds it.
#pragma once

#include "scheduler/core/state.h"

namespace pinka {

// Jobs that ended 10 minutes ago. One that this batch has touched stays until it is written: asked
// again then, memory is what a load of the database would give.
void ForgetJobs(State& state);
// Keys of requests after a day.
void ForgetRequests(State& state);

}  // namespace pinka
