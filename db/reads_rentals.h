// Rentals as people see them.
#pragma once

#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

struct RentalLine {
  RentalRow row;
  std::string node;
  std::string tier;
};

// Newest first: all of them, closed ones too or not, or one.
StatusOr<std::vector<RentalLine>> ReadRentals(ReadPool& pool, RentalId one, bool closed_too);

}  // namespace pinka::db
