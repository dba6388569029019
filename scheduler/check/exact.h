// The check's own arithmetic: 128-bit integers, nothing of base/money.h, so that an error there
// cannot hide here.
#pragma once

#include <cstdint>
#include <string>

namespace pinka::check {

__extension__ typedef __int128 Wide;

// Micro-units as people read them, six decimals: "12.500000".
std::string Amount(Wide micros);
std::string Number(Wide value);

}  // namespace pinka::check
