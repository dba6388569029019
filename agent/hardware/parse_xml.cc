#include <pugixml.hpp>

#include "agent/hardware/facts.h"
#include "agent/hardware/lines.h"
#include "agent/hardware/shapes.h"

namespace pinka::hardware {
namespace {

constexpr std::string_view kRoot = "<nvidia_smi_log";
constexpr std::string_view kEnd = "</nvidia_smi_log>";

std::string_view ValueAt(const pugi::xml_node& gpu, std::string_view path) {
  const pugi::xml_node node = gpu.first_element_by_path(std::string(path).c_str());
  return Trim(node.text().get());
}

GpuReading ReadGpu(const pugi::xml_node& node, int index) {
  GpuReading gpu;
  gpu.index = index;
  Take(Fact::kBusId, node.attribute("id").value(), &gpu);
  for (const FactPlace& place : FactPlaces()) {
    if (!place.xml.empty()) Take(place.fact, ValueAt(node, place.xml), &gpu);
  }
  for (const pugi::xml_node& slice : node.child("mig_devices").children("mig_device")) {
    if (slice) ++gpu.slices;
  }
  return gpu;
}

std::string VersionAt(const pugi::xml_node& log, const char* newer, const char* older) {
  for (const char* name : {newer, older}) {
    const std::string_view text = Trim(log.child_value(name));
    if (IsVersion(text)) return std::string(text);
  }
  return "";
}

}  // namespace

// One that was cut off in the middle is no answer at all.
Answer ParseXml(std::string_view text) {
  Answer answer;
  const size_t from = text.find(kRoot);
  const size_t until = text.find(kEnd, from == std::string_view::npos ? 0 : from);
  if (from == std::string_view::npos || until == std::string_view::npos) return answer;
  pugi::xml_document document;
  const auto read = document.load_buffer(text.data() + from, until + kEnd.size() - from,
                                         pugi::parse_default, pugi::encoding_utf8);
  const pugi::xml_node log = document.child("nvidia_smi_log");
  if (!read || !log) return answer;
  answer.shape = Shape::kXml;
  answer.driver = VersionAt(log, "kmd_version", "driver_version");
  answer.cuda = VersionAt(log, "cuda_umd_version", "cuda_version");
  answer.attached = static_cast<int>(LeadingNumber(Trim(log.child_value("attached_gpus"))));
  for (const pugi::xml_node& gpu : log.children("gpu")) {
    if (answer.gpus.size() == kMostCards) break;
    answer.gpus.push_back(ReadGpu(gpu, static_cast<int>(answer.gpus.size())));
  }
  return answer;
}

}  // namespace pinka::hardware
