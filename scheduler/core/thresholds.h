// Thresholds of limits: percents of the amount that are told once a period (semantics.md 7). Judged
// when money or use moves, holds included, as a limit itself is.
#pragma once

#include <vector>

#include "scheduler/core/state.h"

namespace pinka {

// Something that counts against limits has moved for this member, project and tier: what is crossed
// now and was not before in this period becomes a row and an event. Of an `each` limit for every
// member alone.
void CrossThresholds(State& state, const OpenKey& of);

// What of a limit was crossed in the period that goes on, rising; of an `each` limit by this
// member.
std::vector<int32_t> CrossedOf(const State& state, const LimitRow& limit, MemberId member);

// Whether the threshold's limit stands and its period goes on: then it is kept in memory.
bool GoesOn(const State& state, const ThresholdRow& row);

}  // namespace pinka
