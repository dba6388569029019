#include "base/money.h"

#include "base/check.h"

namespace pinka {
namespace {

__extension__ typedef __int128 Wide;

constexpr int64_t kMillisPerHour = 3'600'000;

// Half away from zero. Twice a remainder fits: |rest| < c < 2^63.
Wide DivideRound(Wide product, int64_t c) {
  Wide quotient = product / c;
  Wide rest = product % c;
  if (rest < 0) rest = -rest;
  if (rest * 2 >= c) quotient += product < 0 ? -1 : 1;
  return quotient;
}

bool Fits(Wide n) { return n >= INT64_MIN && n <= INT64_MAX; }

Wide CostWide(UnitTime time, Rate rate) {
  return DivideRound(Wide{time.millis()} * rate.micros_per_unit_hour(), kMillisPerHour);
}

}  // namespace

Money operator+(Money a, Money b) {
  int64_t sum = 0;
  PINKA_CHECK(!__builtin_add_overflow(a.micros_, b.micros_, &sum), "a sum of money left 64 bits");
  return Money(sum);
}

Money operator-(Money a, Money b) {
  int64_t rest = 0;
  PINKA_CHECK(!__builtin_sub_overflow(a.micros_, b.micros_, &rest),
              "a difference of money left 64 bits");
  return Money(rest);
}

bool CostOverflows(UnitTime time, Rate rate) { return !Fits(CostWide(time, rate)); }

Money Cost(UnitTime time, Rate rate) {
  Wide cost = CostWide(time, rate);
  PINKA_CHECK(Fits(cost), "a cost left 64 bits");
  return Money::Micros(static_cast<int64_t>(cost));
}

int64_t MulDivRound(int64_t a, int64_t b, int64_t c) {
  PINKA_CHECK(c > 0, "the divisor of MulDivRound is positive");
  Wide result = DivideRound(Wide{a} * b, c);
  PINKA_CHECK(Fits(result), "a product left 64 bits");
  return static_cast<int64_t>(result);
}

}  // namespace pinka
