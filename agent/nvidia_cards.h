// The cards of this box as the NVIDIA driver lists them in /proc: which device file is whose, and
// their order by PCI address, which is how CUDA counts them with CUDA_DEVICE_ORDER=PCI_BUS_ID.
// Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "agent/process/devices.h"

namespace pinka {

struct NvidiaCard {
  std::string uuid;
  std::string bus;  // "0000:07:00.0"
  DeviceNumber device;
};

// In PCI order; none where there is no driver, or where a card is not described in full.
std::vector<NvidiaCard> NvidiaCards(const std::string& root = "/proc/driver/nvidia/gpus");

// The device files of `cards` that a job with these `uuids` must not open.
std::vector<DeviceNumber> OthersCards(const std::vector<NvidiaCard>& cards,
                                      const std::vector<std::string>& uuids);

}  // namespace pinka
