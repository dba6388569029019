#include "client/cli/core/retry.h"

#include <algorithm>

#include "client/cli/core/errors.h"

namespace pinka::cli {
namespace {

constexpr Duration kFirst = Duration::Millis(50);
constexpr Duration kLongest = Duration::Seconds(1);

}  // namespace

std::optional<Duration> RetryPolicy::Next(const v1::Error& error, int tries,
                                          Duration elapsed) const {
  Duration wait = std::min(kLongest, kFirst * (int64_t{1} << std::clamp(tries - 1, 0, 10)));
  if (error.retry_after_ms() > 0) {
    wait = Duration::Millis(error.retry_after_ms());
  } else if (error.exit_code() != kExitUnreachable) {
    return std::nullopt;
  }
  if (elapsed + wait > patience) return std::nullopt;
  return wait;
}

}  // namespace pinka::cli
