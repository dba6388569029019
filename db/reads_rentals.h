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

// What a bill of a provider over this time may be for, by id; `instance` is the node's name where
// the provider's is not known.
StatusOr<std::vector<RentalRow>> RentalsBetween(ReadPool& pool, const std::string& provider,
                                                Timestamp from, Timestamp to);

}  // namespace pinka::db
