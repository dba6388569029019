// Rows about what nodes are made of; rows.h has all others.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "scheduler/core/types.h"

namespace pinka {

struct Gpu {
  int32_t index = 0;
  std::string uuid;
  std::string name;
  int64_t memory_mib = 0;
  std::string fault{};  // not empty: it takes no work, and why
  friend bool operator==(const Gpu&, const Gpu&) = default;
};

// What a node's hardware was found to be, and what admins have said of it (core/hardware.h).
struct HardwareRow {
  NodeId node;
  std::string check;  // id of the newest that its agent has told; "": none
  HardwareVerdict verdict = HardwareVerdict::kNone;
  std::string finding;   // why it is in quarantine; "": it is not
  bool waits = false;    // stays there until somebody has looked
  std::string accepted;  // a finding that an admin has looked at and let pass
  int64_t demanded = 0;  // checks that admins have asked for
  int64_t answered = 0;  // the newest of them that was made
  friend bool operator==(const HardwareRow&, const HardwareRow&) = default;
};

// One check, kept with its evidence.
struct HardwareCheckRow {
  NodeId node;
  std::string check;
  Timestamp at;
  HardwareVerdict verdict = HardwareVerdict::kNone;
  std::string why;
  std::string cause;
  int64_t demand = 0;
  std::string evidence;
  friend bool operator==(const HardwareCheckRow&, const HardwareCheckRow&) = default;
};

}  // namespace pinka
