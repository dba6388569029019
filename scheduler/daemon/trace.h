// The lab's own history as CSV, as `pinka simulate` reads it: docs/simulate.md.
#pragma once

#include <string>
#include <vector>

#include "db/reads_trace.h"

namespace pinka {

// Titles and one line a task; seconds count from the first task's.
std::string TraceCsv(const std::vector<db::TraceTask>& tasks);

}  // namespace pinka
