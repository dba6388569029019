#include "client/cli/core/bar.h"

#include <algorithm>

namespace pinka::cli {

std::string Bar(int64_t part, int64_t whole, int columns) {
  int64_t full = 0;
  if (whole > 0 && part > 0 && columns > 0) {
    part = std::min(part, whole);
    while (whole > INT32_MAX) {  // room for the product
      whole /= 2;
      part /= 2;
    }
    full = (part * columns + whole / 2) / whole;
    full = std::clamp<int64_t>(full, 1, part < whole ? std::max(columns - 1, 1) : columns);
  }
  std::string bar;
  for (int64_t n = 0; n < columns; ++n) bar += n < full ? "█" : "░";
  return bar;
}

}  // namespace pinka::cli
