#include "agent/hardware/slice.h"

#include <algorithm>

#include "fmt/format.h"

namespace pinka::hardware {
namespace {

constexpr std::string_view kProfiles = "ABCQ";  // what NVIDIA's guests are made for

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "-4C", "-48Q", "-2-24C" at the end: GiB and profile, behind a number of slices in between.
size_t ProfileAt(std::string_view name) {
  if (name.size() < 4 || kProfiles.find(name.back()) == std::string_view::npos)
    return std::string_view::npos;
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::string_view::npos;
  if (!AllDigits(name.substr(dash + 1, name.size() - dash - 2))) return std::string_view::npos;
  const size_t before = name.rfind('-', dash - 1);
  const bool between = before != std::string_view::npos && before > 0 &&
                       AllDigits(name.substr(before + 1, dash - before - 1));
  return between ? before : dash;
}

}  // namespace

std::string BoardOfSlice(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "GRID "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  const size_t profile = ProfileAt(name);
  return profile == std::string_view::npos ? "" : std::string(name.substr(0, profile));
}

std::string WhySlice(const GpuReading& gpu) {
  if (const std::string board = BoardOfSlice(gpu.name); !board.empty()) {
    const std::string size = gpu.memory_mib > 0 ? fmt::format(" with {} MiB", gpu.memory_mib) : "";
    return fmt::format("a slice of one {} board{}, not a card", board, size);
  }
  if (gpu.name.find(" MIG ") != std::string::npos) return "a MIG slice, not a card";
  if (gpu.virtualization == "VGPU") return "a virtual GPU, not a card";
  if (gpu.slices > 0)
    return fmt::format("split by MIG into {} slices: no job gets the whole card", gpu.slices);
  if (gpu.mig) return "MIG is on and nothing is made of it: the card itself can run no job";
  return "";
}

}  // namespace pinka::hardware
