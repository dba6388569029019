// What is read of a card, and where each shape of answer keeps it: one table, and one place that
// knows what a field's text means.
#pragma once

#include <span>
#include <string_view>

#include "agent/hardware/reading.h"

namespace pinka::hardware {

enum class Fact {
  kIndex,
  kName,
  kUuid,
  kBusId,
  kMemory,
  kMig,
  kVirtualization,
  kPowerLimit,
  kDefaultPowerLimit,
  kLinkGen,
  kLinkGenMax,
  kLinkWidth,
  kLinkWidthMax,
  kHwSlowdown,
  kHwThermal,
  kHwPowerBrake,
  kSwThermal,
  kResetRequired,
  kRecovery,
  kRemapPending,
  kRemapFailed,
};

// Places are paths: "pci/pci_bus_id", "PCI/Bus Id"; "" where a shape does not tell it there. A fact
// has a line for each spelling that a driver used.
struct FactPlace {
  Fact fact;
  std::string_view xml;
  std::string_view detail;
  std::string_view csv;
};
std::span<const FactPlace> FactPlaces();

// Takes what a field says. Text that says nothing (N/A, [Unknown Error] …) leaves the fact untold;
// text that says the card is lost is its fault, in whichever field it stands.
void Take(Fact fact, std::string_view text, GpuReading* gpu);
// "GPU is lost" and its like, without brackets; "" for any other text.
std::string_view FaultIn(std::string_view text);
// What a card wants done before it works again: "Reset", "Reboot".
bool IsRecoveryAction(std::string_view text);

}  // namespace pinka::hardware
