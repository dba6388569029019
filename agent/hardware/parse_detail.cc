#include <algorithm>

#include "agent/hardware/facts.h"
#include "agent/hardware/lines.h"
#include "agent/hardware/shapes.h"

namespace pinka::hardware {
namespace {

// "    Product Name     : NVIDIA A10": how deep it stands, and its two sides.
struct Line {
  size_t depth = 0;
  std::string_view key;
  std::string_view value;
};

Line ReadLine(std::string_view line) {
  Line read;
  read.depth = std::min(line.find_first_not_of(" \t"), line.size());
  const size_t colon = line.find(" : ");
  const bool empty_value = colon == std::string_view::npos && line.ends_with(" :");
  if (colon != std::string_view::npos) {
    read.key = Trim(line.substr(0, colon));
    read.value = Trim(line.substr(colon + 3));
  } else {
    read.key = Trim(empty_value ? line.substr(0, line.size() - 2) : line);
  }
  return read;
}

// What a value begins with, where a driver appends advice: "610.57.04 [Deprecated; …]".
std::string_view FirstWord(std::string_view value) {
  return value.substr(0, std::min(value.find(' '), value.size()));
}

class Reader {
 public:
  Answer Run(std::string_view text) {
    for (const std::string_view line : Lines(text)) {
      if (!Trim(line).empty()) Take(ReadLine(line));
    }
    if (!answer_.gpus.empty()) answer_.shape = Shape::kDetail;
    return std::move(answer_);
  }

 private:
  void Take(const Line& line) {
    while (!path_.empty() && path_.back().depth >= line.depth) path_.pop_back();
    if (line.depth == 0) {
      TakeTop(line);
    } else if (in_gpu_) {
      TakeField(line);
    }
    if (path_.size() < kDeepest) path_.push_back({line.depth, line.key});
  }

  void TakeTop(const Line& line) {
    path_.clear();
    in_gpu_ = false;
    const std::string_view word = FirstWord(line.value);
    if (line.key == "KMD Version" || line.key == "Driver Version") {
      if (IsVersion(word)) answer_.driver = word;
    } else if (line.key == "CUDA UMD Version" || line.key == "CUDA Version") {
      if (IsVersion(word)) answer_.cuda = word;
    } else if (line.key == "Attached GPUs") {
      answer_.attached = static_cast<int>(LeadingNumber(line.value));
    } else if (line.key.starts_with("GPU ") && IsBusId(line.key.substr(4))) {
      StartGpu(line.key.substr(4));
    }
  }

  void StartGpu(std::string_view bus_id) {
    if (answer_.gpus.size() == kMostCards) return;
    in_gpu_ = true;
    GpuReading gpu;
    gpu.index = static_cast<int>(answer_.gpus.size());
    gpu.bus_id = bus_id;
    answer_.gpus.push_back(std::move(gpu));
  }

  void TakeField(const Line& line) {
    GpuReading& gpu = answer_.gpus.back();
    if (line.key == "MIG Device") ++gpu.slices;
    if (line.value.empty()) return;
    for (const FactPlace& place : FactPlaces()) {
      if (!place.detail.empty() && IsAt(line.key, place.detail))
        hardware::Take(place.fact, line.value, &gpu);
    }
    if (gpu.fault.empty()) gpu.fault = FaultIn(line.value);
  }

  // The sections that stand open (the first is the card's own heading), and the key below them.
  bool IsAt(std::string_view key, std::string_view place) const {
    for (size_t i = 1; i < path_.size(); ++i) {
      const std::string_view section = path_[i].key;
      if (!place.starts_with(section) || !place.substr(section.size()).starts_with('/'))
        return false;
      place.remove_prefix(section.size() + 1);
    }
    return place == key;
  }

  static constexpr size_t kDeepest = 8;
  struct Open {
    size_t depth = 0;
    std::string_view key;
  };
  Answer answer_;
  std::vector<Open> path_;
  bool in_gpu_ = false;
};

}  // namespace

Answer ParseDetail(std::string_view text) { return Reader().Run(text); }

}  // namespace pinka::hardware
