// The check's own arithmetic: 128-bit integers, nothing of base/money.h, so that an error there
// cannot hide here.
#pragma once

#include <cstdint>
#include <string>

namespace pinka::check {

__extension__ typedef __int128 Wide;

// units x ms x rate / 3'600'000, half away from zero; all >= 0.
Wide CostOf(Wide unit_ms, Wide rate);

// Micro-units as people read them, six decimals: "12.500000".
std::string Amount(Wide micros);
std::string Number(Wide value);

// Whether a hold of `units` at `rate` for some whole number of seconds is exactly `amount`: lines
// that sum to it may have been the whole hold once, before a longer limit enlarged it.
bool IsWholeHold(Wide amount, Wide units, Wide rate);

}  // namespace pinka::check
