// The warning that a job gets before it is stopped: `[main:|all:]SIG[@D]`, as in USR1@120s,
// main:INT@5m, SIGUSR2. It goes only to processes that have a handler for it (semantics.md 5).
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace pinka {

struct WarningSignal {
  enum class Target {
    kAll,   // every process of the job that catches it
    kMain,  // the main process alone, if it catches it
  };
  Target target = Target::kAll;
  int number = 12;                           // USR2, as Linux counts
  Duration before = Duration::Seconds(120);  // so long before the job is told to end
  friend bool operator==(const WarningSignal&, const WarningSignal&) = default;
};

// Refused: a name that is none, KILL and STOP (no process can catch them), a bare number of
// seconds.
StatusOr<WarningSignal> ParseWarningSignal(std::string_view text);
std::string FormatWarningSignal(const WarningSignal& signal);  // "main:USR1@2m"

}  // namespace pinka
