// When a call is sent again. Every call is a read or carries a request id, so the same bytes may be
// sent any number of times (semantics.md 11). Pure.
#pragma once

#include <optional>

#include "base/time.h"
#include "pinka/v1/error.pb.h"

namespace pinka::cli {

struct RetryPolicy {
  Duration patience;  // how long after the first failure the last try may begin

  // How long to wait before the next try, or nothing: give up. `tries` counts those that failed,
  // `elapsed` the time since the first of them. A server that names a time is obeyed; one that does
  // not answer is asked after 50 ms, 100 ms, … at most 1 s.
  std::optional<Duration> Next(const v1::Error& error, int tries, Duration elapsed) const;
};

}  // namespace pinka::cli
