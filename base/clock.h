// Where time comes from. Passed by reference to whoever needs it; core gets `now` as an argument.
// Thread-safe.
#pragma once

#include "base/time.h"

namespace pinka {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;       // wall clock, UTC; may step
  virtual Duration Monotonic() const = 0;  // CLOCK_MONOTONIC: meters
  virtual Duration Boottime() const = 0;   // CLOCK_BOOTTIME: limits and fences
};

// The machine's clocks.
class SystemClock final : public Clock {
 public:
  Timestamp Now() const override;
  Duration Monotonic() const override;
  Duration Boottime() const override;
};

// A clock that stands still until told. Not thread-safe for writers.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Timestamp start) : now_(start) {}
  Timestamp Now() const override { return now_; }
  Duration Monotonic() const override { return up_; }
  Duration Boottime() const override { return up_; }
  void Advance(Duration d) {
    now_ = now_ + d;
    up_ = up_ + d;
  }

 private:
  Timestamp now_;
  Duration up_;
};

}  // namespace pinka
