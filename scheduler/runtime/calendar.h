// Days, nights and months of the lab's zone, as the rows that core compares (design.md 12).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "scheduler/core/rows.h"

namespace pinka {

// From the month before `from` to 25 months after it. Refuses a zone that the system does not know.
StatusOr<std::vector<PeriodRow>> PeriodsAround(const std::string& zone, Timestamp from);

// The nights that begin within 36 h of `from`, and one that goes on: those of them that begin at
// `after` or later, which is the end of the last night that is written. So a night that stands in
// the calendar keeps its hours, and other hours hold from the one after it on. Minutes are of the
// day; an end not after the beginning is the next day's.
StatusOr<std::vector<PeriodRow>> NightsAround(const std::string& zone, Timestamp from,
                                              Timestamp after, int32_t from_min, int32_t to_min);

}  // namespace pinka
