// What a job is told when it must end: {"reason","deadline","attempt"} in $PINKA_NOTICE_FILE.
#pragma once

#include <string>

#include "agent/record/order.h"
#include "base/status.h"
#include "base/time.h"

namespace pinka {

// Appears whole, readable by the job. The deadline is when KILL comes.
Status WriteNotice(const Order& order, const std::string& reason, Timestamp deadline);

}  // namespace pinka
