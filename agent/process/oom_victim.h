// Whom the kernel killed for memory, from its own log.
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "agent/process/cgroup.h"

namespace pinka {

// The name of the last process of `group` that was killed for memory; "" where the log may not be
// read, or has moved on.
std::string OomVictim(const Cgroup& group);

// The same from one record of the log, for the group whose directory has this name.
std::string VictimIn(std::string_view record, std::string_view group_name);

}  // namespace pinka
