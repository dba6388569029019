// Days and months of the lab's zone, as the rows that core compares (design.md 12).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "scheduler/core/rows.h"

namespace pinka {

// From the month before `from` to 25 months after it. Refuses a zone that the system does not know.
StatusOr<std::vector<PeriodRow>> PeriodsAround(const std::string& zone, Timestamp from);

}  // namespace pinka
