#include "scheduler/check/exact.h"

#include <algorithm>

namespace pinka::check {
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

}  // namespace pinka::check
