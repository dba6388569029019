// Keeps device files away from a job: the cards of its box that are not its own. By rules of the v1
// devices hierarchy, or by a program that the kernel asks in v2. The files stay visible; opening
// them is refused, also to root.
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/process/cgroup.h"

namespace pinka {

struct DeviceNumber {
  uint32_t major = 0;
  uint32_t minor = 0;
  friend auto operator<=>(const DeviceNumber&, const DeviceNumber&) = default;
};

std::string ToString(const DeviceNumber& device);  // "195:0"
bool ParseDeviceNumber(const std::string& text, DeviceNumber* out);

// Character devices that nothing in `group` can open from now on. True: all of them are closed.
bool HideDevices(const Cgroup& group, const std::vector<DeviceNumber>& devices);

}  // namespace pinka
