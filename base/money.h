// Money, rates and capacity (design.md 5, semantics.md 8). Integers only; products go through 128
// bits; the one rounding is half away from zero, to the micro-unit.
//
//   Money    micro-units of the lab's currency      1.00 yuan = 1'000'000
//   Rate     micro-units per unit-hour              12.00 an hour = 12'000'000
//   UnitTime unit-milliseconds                      2 units for 1 h = 7'200'000
#pragma once

#include <compare>
#include <cstdint>

#include "base/time.h"

namespace pinka {

class Money {
 public:
  constexpr Money() = default;
  static constexpr Money Micros(int64_t n) { return Money(n); }
  static constexpr Money Whole(int64_t n) { return Money(n * 1'000'000); }
  constexpr int64_t micros() const { return micros_; }

  friend constexpr auto operator<=>(Money, Money) = default;
  // Sums that leave 64 bits are a programmer's error and abort.
  friend Money operator+(Money a, Money b);
  friend Money operator-(Money a, Money b);
  constexpr Money operator-() const { return Money(-micros_); }
  Money& operator+=(Money b) { return *this = *this + b; }
  Money& operator-=(Money b) { return *this = *this - b; }

 private:
  constexpr explicit Money(int64_t micros) : micros_(micros) {}
  int64_t micros_ = 0;
};

class UnitTime {
 public:
  constexpr UnitTime() = default;
  static constexpr UnitTime Millis(int64_t n) { return UnitTime(n); }
  static constexpr UnitTime Of(int64_t units, Duration span) {
    return UnitTime(units * span.millis());
  }
  constexpr int64_t millis() const { return millis_; }

  friend constexpr auto operator<=>(UnitTime, UnitTime) = default;
  friend constexpr UnitTime operator+(UnitTime a, UnitTime b) {
    return Millis(a.millis_ + b.millis_);
  }
  friend constexpr UnitTime operator-(UnitTime a, UnitTime b) {
    return Millis(a.millis_ - b.millis_);
  }

 private:
  constexpr explicit UnitTime(int64_t millis) : millis_(millis) {}
  int64_t millis_ = 0;
};

class Rate {
 public:
  constexpr Rate() = default;
  static constexpr Rate MicrosPerUnitHour(int64_t n) { return Rate(n); }
  constexpr int64_t micros_per_unit_hour() const { return micros_; }
  friend constexpr auto operator<=>(Rate, Rate) = default;

 private:
  constexpr explicit Rate(int64_t micros) : micros_(micros) {}
  int64_t micros_ = 0;
};

// round_half_away(time x rate / 3'600'000). Charge cumulatively: a posting is
// Cost(total so far) - posted so far, so that many small ticks sum to one exact product.
// Aborts where the product leaves 64 bits; CostOverflows says so beforehand.
Money Cost(UnitTime time, Rate rate);
bool CostOverflows(UnitTime time, Rate rate);

// a * b / c, rounded half away from zero, through 128 bits. c > 0.
int64_t MulDivRound(int64_t a, int64_t b, int64_t c);

}  // namespace pinka
