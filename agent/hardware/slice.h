// Whether what is shown as a card is a part of one: a slice is never taken for a card.
#pragma once

#include <string>
#include <string_view>

#include "agent/hardware/reading.h"

namespace pinka::hardware {

// "GRID T4-4C", "NVIDIA A40-48Q", "NVIDIA H100L-2-24C": what a guest sees of a shared board. "" for
// the name of a whole card; else the board's part of it: "T4".
std::string BoardOfSlice(std::string_view name);
// One sentence; "" for a whole card.
std::string WhySlice(const GpuReading& gpu);

}  // namespace pinka::hardware
