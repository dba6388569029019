#include "agent/hardware/parse_answer.h"

#include <algorithm>

#include "agent/hardware/lines.h"
#include "agent/hardware/shapes.h"
#include "base/text.h"

namespace pinka::hardware {
namespace {

constexpr size_t kMostTroubles = 20;
constexpr int kMostColumns = 200;

// What people are told in answers that are no data. They stand before, after or instead of rows.
constexpr std::string_view kTroubles[] = {"nvidia-smi has failed",
                                          "failed to initialize",
                                          "no devices were found",
                                          "unable to determine",
                                          "gpu is lost",
                                          "inforom is corrupted",
                                          "is not a valid field",
                                          "not found",
                                          "未找到命令",
                                          "insufficient permission",
                                          "nvml library version",
                                          "warning:",
                                          "no permission",
                                          "cannot execute"};

bool IsRow(std::string_view line) { return line.starts_with('|') || line.starts_with('+'); }

std::vector<std::string> TroublesIn(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string_view line : Lines(text)) {
    // Fields of good answers hold such words as well: "[Not Found]", "CUDA Version : Not Found".
    const bool data = IsRow(line) || line.starts_with(' ') || line.starts_with('\t') ||
                      line.starts_with('<') || line.find(" : ") != std::string_view::npos ||
                      line.find(", [") != std::string_view::npos;
    if (data || found.size() == kMostTroubles) continue;
    const bool trouble = std::ranges::any_of(
        kTroubles, [&](std::string_view word) { return ContainsIgnoringCase(line, word); });
    if (trouble) found.push_back(FitColumns(SanitizeForTerminal(Trim(line)), kMostColumns));
  }
  return found;
}

// The version behind the first of `labels` that has one: "KMD Version: 610.57.04".
std::string VersionBehind(std::string_view text, std::initializer_list<std::string_view> labels) {
  for (const std::string_view label : labels) {
    for (const std::string_view line : Lines(text)) {
      const size_t at = line.find(label);
      if (at == std::string_view::npos) continue;
      std::string_view rest = line.substr(at + label.size());
      rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
      rest = rest.substr(0, std::min(rest.find_first_of(" |,"), rest.size()));
      if (IsVersion(rest)) return std::string(rest);
    }
  }
  return "";
}

// "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost" names a card.
void AddFaults(Answer* answer) {
  for (const std::string& trouble : answer->troubles) {
    const bool lost = ContainsIgnoringCase(trouble, "unable to determine the device handle");
    if (!lost) continue;
    for (GpuReading& gpu : answer->gpus) {
      if (gpu.fault.empty() && SameBus(gpu.bus_id, FindBusId(trouble))) gpu.fault = trouble;
    }
  }
}

}  // namespace

const char* Name(Shape shape) {
  switch (shape) {
    case Shape::kNone:
      return "nothing";
    case Shape::kVersion:
      return "versions";
    case Shape::kList:
      return "a list";
    case Shape::kTable:
      return "a table";
    case Shape::kDetail:
      return "details";
    case Shape::kCsv:
      return "CSV";
    case Shape::kXml:
      return "XML";
  }
  return "";
}

// MIG devices are told by -L alone, or by XML.
void AddSlices(const Answer& list, Answer* answer) {
  for (const GpuReading& listed : list.gpus) {
    for (GpuReading& gpu : answer->gpus) {
      const bool same = gpu.uuid.empty() || listed.uuid.empty() ? gpu.index == listed.index
                                                                : gpu.uuid == listed.uuid;
      if (same) gpu.slices = std::max(gpu.slices, listed.slices);
    }
  }
}

Answer ParseAnswer(std::string_view text) {
  Answer answer = ParseXml(text);
  for (auto* parse : {ParseDetail, ParseCsv, ParseTable, ParseList}) {
    if (answer.gpus.empty() && answer.shape != Shape::kXml) answer = parse(text);
  }
  if (answer.shape != Shape::kList) AddSlices(ParseList(text), &answer);
  if (answer.driver.empty())
    answer.driver =
        VersionBehind(text, {"KMD Version", "KMD version", "Driver Version", "DRIVER version"});
  if (answer.cuda.empty())
    answer.cuda = VersionBehind(
        text, {"CUDA UMD Version", "CUDA UMD version", "CUDA Version", "CUDA version"});
  if (answer.shape == Shape::kNone && !answer.driver.empty()) answer.shape = Shape::kVersion;
  answer.troubles = TroublesIn(text);
  AddFaults(&answer);
  return answer;
}

}  // namespace pinka::hardware
