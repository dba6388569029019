#include "agent/hardware/used_memory.h"

#include <vector>

#include "agent/hardware/lines.h"
#include "base/parse.h"

namespace pinka::hardware {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;
constexpr int64_t kMostMib = int64_t{1} << 24;  // 16 TiB: no card has more

}  // namespace

std::map<std::string, int64_t> ParseUsedMemory(std::string_view text) {
  std::map<std::string, int64_t> used;
  for (const std::string_view line : Lines(text)) {
    const std::vector<std::string_view> cells = Split(line, ',');
    if (cells.size() != 2 || !cells[0].starts_with("GPU-")) continue;
    const StatusOr<int64_t> mib = ParseInt(cells[1], 0, kMostMib, "memory");
    if (mib.ok()) used[std::string(cells[0])] = *mib * kMib;
  }
  return used;
}

}  // namespace pinka::hardware
