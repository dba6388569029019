// How long to wait before the next try at an unreachable scheduler: doubling, bounded, and spread
// so that a thousand agents do not come back in the same instant.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace pinka {

class Backoff {
 public:
  static constexpr Duration kFirst = Duration::Millis(100);
  static constexpr Duration kMost = Duration::Seconds(10);

  // Uniform in [step/2, step], the step doubling each time. `random` is any 64 random bits.
  Duration Next(uint64_t random);
  void Succeeded() { step_ = kFirst; }

 private:
  Duration step_ = kFirst;
};

}  // namespace pinka
