#include <optional>

#include "agent/hardware/facts.h"
#include "agent/hardware/lines.h"
#include "agent/hardware/shapes.h"

namespace pinka::hardware {
namespace {

// "GPU 0: NVIDIA L40S (UUID: GPU-…)".
std::optional<GpuReading> ReadCard(std::string_view line) {
  constexpr std::string_view kUuid = "(UUID: ";
  if (!line.starts_with("GPU ")) return std::nullopt;
  const size_t colon = line.find(": ");
  const size_t uuid = line.rfind(kUuid);
  if (colon == std::string_view::npos || uuid == std::string_view::npos || uuid < colon)
    return std::nullopt;
  GpuReading gpu;
  Take(Fact::kIndex, Trim(line.substr(4, colon - 4)), &gpu);
  Take(Fact::kName, Trim(line.substr(colon + 2, uuid - colon - 2)), &gpu);
  std::string_view id = line.substr(uuid + kUuid.size());
  id = id.substr(0, id.find(')'));
  if (IsGpuUuid(id)) gpu.uuid = id;
  return gpu;
}

bool IsSlice(std::string_view line) {
  const std::string_view text = Trim(line);
  return text.starts_with("MIG ") && text.find("(UUID: MIG-") != std::string_view::npos;
}

}  // namespace

Answer ParseList(std::string_view text) {
  Answer answer;
  for (const std::string_view line : Lines(text)) {
    if (std::optional<GpuReading> card = ReadCard(line)) {
      if (answer.gpus.size() == kMostCards) break;
      answer.gpus.push_back(*std::move(card));
    } else if (IsSlice(line) && !answer.gpus.empty()) {
      ++answer.gpus.back().slices;
    }
  }
  if (!answer.gpus.empty()) answer.shape = Shape::kList;
  return answer;
}

}  // namespace pinka::hardware
