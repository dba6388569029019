// A whole cut into parts by shares, so that nothing is lost or gained (semantics.md 9): each part
// is its exact fraction rounded down, and what is left over goes, one smallest unit each, to the
// parts with the largest remainders; of equal ones to the first. Callers sort parts by member id.
//
//   SplitCents(100.00, {1, 1, 1})   33.34 33.33 33.33
//   SplitCents(0.01, {1, 1, 1})      0.01  0.00  0.00
//   SplitCents(10.00, {1, 2, 4})     1.43  2.86  5.71
//
// A share of 0 gets 0. Shares that are all 0, or negative, are the caller's error.
#pragma once

#include <cstdint>
#include <vector>

#include "base/money.h"

namespace pinka {

inline constexpr int64_t kCent = 10'000;  // micro-units

// In smallest units. whole >= 0.
std::vector<int64_t> SplitByShares(int64_t whole, const std::vector<int64_t>& shares);

// In whole cents; IsWholeCents(whole).
std::vector<Money> SplitCents(Money whole, const std::vector<int64_t>& shares);
bool IsWholeCents(Money amount);

}  // namespace pinka
