// One parser a shape. Each takes any text at all and adds what it finds; text of another shape
// gives no cards. Bounded: at most kMostCards.
#pragma once

#include <string_view>
#include <vector>

#include "agent/hardware/reading.h"

namespace pinka::hardware {

inline constexpr size_t kMostCards = 256;

Answer ParseXml(std::string_view text);  // -q -x
Answer ParseCsv(std::string_view text);  // --query-gpu=… --format=csv, also without header or units
Answer ParseDetail(std::string_view text);  // -q
Answer ParseTable(std::string_view text);   // no arguments
Answer ParseList(std::string_view text);    // -L: cards and their MIG devices

}  // namespace pinka::hardware
