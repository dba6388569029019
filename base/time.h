// Instants and spans. Timestamp: microseconds of UTC since 1970. Duration: microseconds, signed.
// Text forms: semantics.md 11 (durations carry a unit, instants are ISO 8601 with an offset).
#pragma once

#include <compare>
#include <cstdint>

namespace pinka {

class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration Micros(int64_t n) { return Duration(n); }
  static constexpr Duration Millis(int64_t n) { return Duration(n * 1'000); }
  static constexpr Duration Seconds(int64_t n) { return Duration(n * 1'000'000); }
  static constexpr Duration Minutes(int64_t n) { return Seconds(n * 60); }
  static constexpr Duration Hours(int64_t n) { return Seconds(n * 3'600); }
  static constexpr Duration Days(int64_t n) { return Hours(n * 24); }

  constexpr int64_t micros() const { return micros_; }
  constexpr int64_t millis() const { return micros_ / 1'000; }       // toward zero
  constexpr int64_t seconds() const { return micros_ / 1'000'000; }  // toward zero

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Micros(a.micros_ + b.micros_);
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Micros(a.micros_ - b.micros_);
  }
  friend constexpr Duration operator*(Duration a, int64_t n) { return Micros(a.micros_ * n); }

 private:
  constexpr explicit Duration(int64_t micros) : micros_(micros) {}
  int64_t micros_ = 0;
};

class Timestamp {
 public:
  constexpr Timestamp() = default;
  static constexpr Timestamp Micros(int64_t n) { return Timestamp(n); }
  static constexpr Timestamp Seconds(int64_t n) { return Timestamp(n * 1'000'000); }
  static constexpr Timestamp Never() { return Timestamp(INT64_MAX); }  // sorts last, never due

  constexpr int64_t micros() const { return micros_; }
  constexpr explicit operator bool() const { return micros_ != 0; }  // 0 is "not set"

  friend constexpr auto operator<=>(Timestamp, Timestamp) = default;
  friend constexpr Timestamp operator+(Timestamp a, Duration d) {
    return Micros(a.micros_ + d.micros());
  }
  friend constexpr Timestamp operator-(Timestamp a, Duration d) {
    return Micros(a.micros_ - d.micros());
  }
  friend constexpr Duration operator-(Timestamp a, Timestamp b) {
    return Duration::Micros(a.micros_ - b.micros_);
  }

 private:
  constexpr explicit Timestamp(int64_t micros) : micros_(micros) {}
  int64_t micros_ = 0;
};

}  // namespace pinka
