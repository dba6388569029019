#include "agent/core/backoff.h"

#include <algorithm>

namespace pinka {

Duration Backoff::Next(uint64_t random) {
  uint64_t half = static_cast<uint64_t>(step_.micros()) / 2;
  Duration wait = Duration::Micros(static_cast<int64_t>(half + random % (half + 1)));
  step_ = std::min(step_ * 2, kMost);
  return wait;
}

}  // namespace pinka
