// What a lab file may say: values within their bounds, dates of the calendar, names that exist.
#pragma once

#include <optional>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

// The first thing in `change` that cannot stand; nothing where it all can.
std::optional<Reply> BadLab(const State& state, const LabChange& change);

}  // namespace pinka
