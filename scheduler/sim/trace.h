// Traces of what people submitted to a cluster, as CSV with a line of titles: submit_s, duration_s,
// gpus, user, gpu_type, status, and, where jobs have one, limit_s and deadline_s. Seconds since the
// same instant; fractions are allowed. Columns may stand in any order, others are passed over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace pinka::sim {

struct TraceJob {
  int64_t submit_ms = 0;
  int64_t duration_ms = 0;    // of run time
  int64_t gpus_milli = 1000;  // thousandths of a card
  std::string user;
  std::string gpu_type;      // a tier, a card, several between `|`, or "": the default tier
  bool failed = false;       // it ended otherwise than well, after that time
  int64_t deadline_ms = -1;  // below 0: none
  int64_t limit_ms = -1;     // that it asked for; below 0: not known
};

// By submit time, those of one instant as they stand in the file. A bad row is refused with one
// sentence that names its line.
StatusOr<std::vector<TraceJob>> ParseTrace(std::string_view text, const std::string& file);

// Lines of a CSV file without the empty ones, each split at its commas (quotes as in RFC 4180, no
// line breaks within them), with its number from 1.
struct CsvLine {
  int64_t number = 0;
  std::vector<std::string> cells;
};
std::vector<CsvLine> SplitCsv(std::string_view text);
// "12.5" -> 12500; nothing where it is no such number, or is above ten thousand million.
bool ParseThousandths(std::string_view text, int64_t* out);

}  // namespace pinka::sim
