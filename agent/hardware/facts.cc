#include "agent/hardware/facts.h"

#include <algorithm>
#include <iterator>

#include "agent/hardware/lines.h"
#include "base/text.h"

namespace pinka::hardware {
namespace {

constexpr int kMostNameBytes = 100;

// clang-format off
constexpr FactPlace kPlaces[] = {
    {Fact::kIndex, "", "", "index"},
    {Fact::kName, "product_name", "Product Name", "name"},
    {Fact::kName, "", "", "gpu_name"},
    {Fact::kUuid, "uuid", "GPU UUID", "uuid"},
    {Fact::kUuid, "", "", "gpu_uuid"},
    {Fact::kBusId, "pci/pci_bus_id", "PCI/Bus Id", "pci.bus_id"},
    {Fact::kBusId, "", "", "gpu_bus_id"},
    {Fact::kMemory, "fb_memory_usage/total", "FB Memory Usage/Total", "memory.total"},
    {Fact::kMemory, "memory_usage/total", "Memory Usage/Total", ""},
    {Fact::kMig, "mig_mode/current_mig", "MIG Mode/Current", "mig.mode.current"},
    {Fact::kVirtualization, "gpu_virtualization_mode/virtualization_mode",
     "GPU Virtualization Mode/Virtualization Mode", ""},
    {Fact::kPowerLimit, "power_readings/power_limit", "Power Readings/Power Limit", "power.limit"},
    {Fact::kPowerLimit, "gpu_power_readings/current_power_limit",
     "GPU Power Readings/Current Power Limit", "enforced.power.limit"},
    {Fact::kPowerLimit, "gpu_power_readings/power_limit", "GPU Power Readings/Power Limit", ""},
    {Fact::kDefaultPowerLimit, "power_readings/default_power_limit",
     "Power Readings/Default Power Limit", "power.default_limit"},
    {Fact::kDefaultPowerLimit, "gpu_power_readings/default_power_limit",
     "GPU Power Readings/Default Power Limit", ""},
    {Fact::kLinkGen, "pci/pci_gpu_link_info/pcie_gen/current_link_gen",
     "PCI/GPU Link Info/PCIe Generation/Current", "pcie.link.gen.current"},
    {Fact::kLinkGen, "", "", "pcie.link.gen.gpucurrent"},
    {Fact::kLinkGenMax, "pci/pci_gpu_link_info/pcie_gen/max_link_gen",
     "PCI/GPU Link Info/PCIe Generation/Max", "pcie.link.gen.max"},
    {Fact::kLinkWidth, "pci/pci_gpu_link_info/link_widths/current_link_width",
     "PCI/GPU Link Info/Link Width/Current", "pcie.link.width.current"},
    {Fact::kLinkWidthMax, "pci/pci_gpu_link_info/link_widths/max_link_width",
     "PCI/GPU Link Info/Link Width/Max", "pcie.link.width.max"},
    {Fact::kHwSlowdown, "clocks_throttle_reasons/clocks_throttle_reason_hw_slowdown",
     "Clocks Throttle Reasons/HW Slowdown", "clocks_throttle_reasons.hw_slowdown"},
    {Fact::kHwSlowdown, "clocks_event_reasons/clocks_event_reason_hw_slowdown",
     "Clocks Event Reasons/HW Slowdown", "clocks_event_reasons.hw_slowdown"},
    {Fact::kHwThermal, "clocks_throttle_reasons/clocks_throttle_reason_hw_thermal_slowdown",
     "Clocks Throttle Reasons/HW Slowdown/HW Thermal Slowdown",
     "clocks_throttle_reasons.hw_thermal_slowdown"},
    {Fact::kHwThermal, "clocks_event_reasons/clocks_event_reason_hw_thermal_slowdown",
     "Clocks Event Reasons/HW Slowdown/HW Thermal Slowdown",
     "clocks_event_reasons.hw_thermal_slowdown"},
    {Fact::kHwPowerBrake, "clocks_throttle_reasons/clocks_throttle_reason_hw_power_brake_slowdown",
     "Clocks Throttle Reasons/HW Slowdown/HW Power Brake Slowdown",
     "clocks_throttle_reasons.hw_power_brake_slowdown"},
    {Fact::kHwPowerBrake, "clocks_event_reasons/clocks_event_reason_hw_power_brake_slowdown",
     "Clocks Event Reasons/HW Slowdown/HW Power Brake Slowdown",
     "clocks_event_reasons.hw_power_brake_slowdown"},
    {Fact::kSwThermal, "clocks_throttle_reasons/clocks_throttle_reason_sw_thermal_slowdown",
     "Clocks Throttle Reasons/SW Thermal Slowdown", "clocks_throttle_reasons.sw_thermal_slowdown"},
    {Fact::kSwThermal, "clocks_event_reasons/clocks_event_reason_sw_thermal_slowdown",
     "Clocks Event Reasons/SW Thermal Slowdown", "clocks_event_reasons.sw_thermal_slowdown"},
    {Fact::kResetRequired, "gpu_reset_status/reset_required", "GPU Reset Status/Reset Required", ""},
    {Fact::kRecovery, "gpu_recovery_action", "GPU Recovery Action", "gpu_recovery_action"},
    {Fact::kRemapPending, "remapped_rows/remapped_row_pending", "Remapped Rows/Pending",
     "remapped_rows.pending"},
    {Fact::kRemapFailed, "remapped_rows/remapped_row_failure",
     "Remapped Rows/Remapping Failure Occurred", "remapped_rows.failure"},
};
// clang-format on

constexpr std::string_view kForbidden = "Insufficient Permissions";
constexpr std::string_view kNothing[] = {"",
                                         "N/A",
                                         "Not Supported",
                                         "Not Found",
                                         "Unknown Error",
                                         "ERR!",
                                         "Requested functionality has been deprecated",
                                         kForbidden};
constexpr std::string_view kFaults[] = {"GPU is lost", "GPU requires reset", "GPU access blocked"};
constexpr std::string_view kRecoveries[] = {"Reset", "Reboot", "Node Reboot", "Drain P2P",
                                            "Drain and Reset"};

std::string_view WithoutBrackets(std::string_view text) {
  text = Trim(text);
  const bool bracketed = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  return bracketed ? Trim(text.substr(1, text.size() - 2)) : text;
}

std::string Word(std::string_view text) {
  const std::string word(text.substr(0, kMostNameBytes));
  return IsPrintableName(word, kMostNameBytes) ? word : "(unprintable)";
}

void Slow(std::string_view text, const char* reason, GpuReading* gpu) {
  if (text != "Active") return;
  if (std::ranges::find(gpu->slowed_by, reason) == gpu->slowed_by.end())
    gpu->slowed_by.emplace_back(reason);
}

void SetFault(std::string fault, GpuReading* gpu) {
  if (gpu->fault.empty()) gpu->fault = std::move(fault);
}

void TakeTold(Fact fact, std::string_view text, GpuReading* gpu) {
  switch (fact) {
    case Fact::kIndex:
      gpu->index = static_cast<int>(LeadingNumber(text));
      return;
    case Fact::kName:
      gpu->name = Word(text);
      return;
    case Fact::kUuid:
      gpu->uuid = Word(text);
      return;
    case Fact::kBusId:
      gpu->bus_id = Word(text);
      return;
    case Fact::kMemory:
      gpu->memory_mib = LeadingNumber(text);
      return;
    case Fact::kMig:
      gpu->mig = text == "Enabled";
      return;
    case Fact::kVirtualization:
      gpu->virtualization = Word(text);
      return;
    case Fact::kPowerLimit:
      gpu->power_limit_mw = LeadingMilli(text);
      return;
    case Fact::kDefaultPowerLimit:
      gpu->default_power_limit_mw = LeadingMilli(text);
      return;
    case Fact::kLinkGen:
      gpu->link_gen = static_cast<int>(LeadingNumber(text));
      return;
    case Fact::kLinkGenMax:
      gpu->link_gen_max = static_cast<int>(LeadingNumber(text));
      return;
    case Fact::kLinkWidth:
      gpu->link_width = static_cast<int>(LeadingNumber(text));
      return;
    case Fact::kLinkWidthMax:
      gpu->link_width_max = static_cast<int>(LeadingNumber(text));
      return;
    case Fact::kHwSlowdown:
      return Slow(text, "HW Slowdown", gpu);
    case Fact::kHwThermal:
      return Slow(text, "HW Thermal Slowdown", gpu);
    case Fact::kHwPowerBrake:
      return Slow(text, "HW Power Brake Slowdown", gpu);
    case Fact::kSwThermal:
      if (text == "Active") gpu->remarks.emplace_back("it runs slower to stay cool");
      return;
    case Fact::kResetRequired:
      if (text == "Yes") SetFault("GPU requires reset", gpu);
      return;
    case Fact::kRecovery:
      if (IsRecoveryAction(text)) SetFault("the driver asks for: " + Word(text), gpu);
      return;
    case Fact::kRemapPending:
      if (text == "Yes") gpu->remarks.emplace_back("bad memory rows wait for a reset");
      return;
    case Fact::kRemapFailed:
      if (text == "Yes") SetFault("bad memory rows could not be replaced", gpu);
      return;
  }
}

}  // namespace

std::span<const FactPlace> FactPlaces() { return kPlaces; }

std::string_view FaultIn(std::string_view text) {
  const auto* found = std::ranges::find(kFaults, WithoutBrackets(text));
  return found == std::end(kFaults) ? std::string_view() : *found;
}

bool IsRecoveryAction(std::string_view text) {
  return std::ranges::find(kRecoveries, text) != std::end(kRecoveries);
}

void Take(Fact fact, std::string_view field, GpuReading* gpu) {
  const std::string_view text = WithoutBrackets(field);
  if (const std::string_view fault = FaultIn(text); !fault.empty())
    return SetFault(std::string(fault), gpu);
  if (fact == Fact::kMemory && text == kForbidden) gpu->memory_forbidden = true;
  if (std::ranges::find(kNothing, text) != std::end(kNothing)) return;
  TakeTold(fact, text, gpu);
}

}  // namespace pinka::hardware
