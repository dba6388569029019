#include <algorithm>
#include <optional>

#include "agent/hardware/facts.h"
#include "agent/hardware/lines.h"
#include "agent/hardware/shapes.h"

namespace pinka::hardware {
namespace {

// "|   0  Tesla V100-SXM2...  On   " without its bar: the index, the name, and what is cut off.
bool ReadFirstCell(std::string_view cell, GpuReading* gpu) {
  cell = Trim(cell);
  const size_t space = cell.find(' ');
  if (space == std::string_view::npos || space > 3) return false;
  if (!std::ranges::all_of(cell.substr(0, space), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  gpu->index = static_cast<int>(LeadingNumber(cell));
  std::string_view name = Trim(cell.substr(space));
  const size_t last = name.find_last_of(' ');  // persistence mode
  if (last == std::string_view::npos) return false;
  Take(Fact::kName, Trim(name.substr(0, last)), gpu);
  return true;
}

std::optional<GpuReading> ReadRow(const std::vector<std::string_view>& cells) {
  if (cells.size() < 4 || FindBusId(cells[2]).empty()) return std::nullopt;
  GpuReading gpu;
  if (!ReadFirstCell(cells[1], &gpu)) return std::nullopt;
  gpu.bus_id = FindBusId(cells[2]);
  return gpu;
}

// The second line of a row: "| N/A   38C    P0    38W / 300W |    308MiB / 32768MiB |".
void ReadMemory(const std::vector<std::string_view>& cells, GpuReading* gpu) {
  if (cells.size() < 3) return;
  const size_t slash = cells[2].find('/');
  if (slash != std::string_view::npos) Take(Fact::kMemory, Trim(cells[2].substr(slash + 1)), gpu);
  const size_t cap = cells[1].find_last_of('/');
  if (cap != std::string_view::npos) Take(Fact::kPowerLimit, Trim(cells[1].substr(cap + 1)), gpu);
}

// The third: "|                               |                      |              Enabled |".
void ReadMig(const std::vector<std::string_view>& cells, GpuReading* gpu) {
  if (cells.size() >= 4 && cells[3] == "Enabled") gpu->mig = true;
}

}  // namespace

Answer ParseTable(std::string_view text) {
  Answer answer;
  int below = 0;  // lines since the row began
  for (const std::string_view line : Lines(text)) {
    if (!line.starts_with('|')) {
      below = 0;
      continue;
    }
    const std::vector<std::string_view> cells = Split(line, '|');
    if (std::optional<GpuReading> row = ReadRow(cells)) {
      if (answer.gpus.size() == kMostCards) break;
      answer.gpus.push_back(*std::move(row));
      below = 1;
    } else if (below == 1) {
      ReadMemory(cells, &answer.gpus.back());
      below = 2;
    } else if (below == 2) {
      ReadMig(cells, &answer.gpus.back());
      below = 0;
    }
  }
  if (!answer.gpus.empty()) answer.shape = Shape::kTable;
  return answer;
}

}  // namespace pinka::hardware
