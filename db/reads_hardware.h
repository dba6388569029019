// What a node's hardware was found to be, for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

// Nothing: no check was ever told or asked for.
StatusOr<std::optional<HardwareRow>> HardwareOf(ReadPool& pool, const std::string& node);
StatusOr<std::vector<HardwareCheckRow>> HardwareChecksOf(ReadPool& pool, const std::string& node,
                                                         int64_t most);  // newest first

}  // namespace pinka::db
