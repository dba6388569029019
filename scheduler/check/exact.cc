#include "scheduler/check/exact.h"

#include <algorithm>

namespace pinka::check {
namespace {
constexpr Wide kHourMs = 3'600'000;
}  // namespace

Wide CostOf(Wide unit_ms, Wide rate) { return (2 * unit_ms * rate + kHourMs) / (2 * kHourMs); }

std::string Number(Wide value) {
  const bool negative = value < 0;
  if (negative) value = -value;
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  if (negative) digits.push_back('-');
  std::ranges::reverse(digits);
  return digits;
}

std::string Amount(Wide micros) {
  const bool negative = micros < 0;
  if (negative) micros = -micros;
  const std::string decimals = Number(1'000'000 + micros % 1'000'000).substr(1);
  return (negative ? "-" : "") + Number(micros / 1'000'000) + "." + decimals;
}

bool IsWholeHold(Wide amount, Wide units, Wide rate) {
  if (units <= 0 || rate <= 0) return true;
  const Wide seconds = amount * 3'600 / (units * rate);
  return CostOf(units * seconds * 1'000, rate) == amount ||
         CostOf(units * (seconds + 1) * 1'000, rate) == amount;
}

}  // namespace pinka::check
