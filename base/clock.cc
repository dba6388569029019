#include "base/clock.h"

#include <ctime>

#include "base/check.h"

namespace pinka {
namespace {

int64_t ReadMicros(clockid_t id) {
  timespec t{};
  PINKA_CHECK(clock_gettime(id, &t) == 0, "the kernel has no such clock");
  return int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1'000;
}

}  // namespace

Timestamp SystemClock::Now() const { return Timestamp::Micros(ReadMicros(CLOCK_REALTIME)); }
Duration SystemClock::Monotonic() const { return Duration::Micros(ReadMicros(CLOCK_MONOTONIC)); }
Duration SystemClock::Boottime() const { return Duration::Micros(ReadMicros(CLOCK_BOOTTIME)); }

}  // namespace pinka
