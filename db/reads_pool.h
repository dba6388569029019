// What each tier cost and what became of it (semantics.md 10): sums over a window, from the day's
// sums (migration 0015).
#pragma once

#include <string>
#include <vector>

#include "db/pool.h"

namespace pinka::db {

// used + wasted + idle + rest = paid, exactly.
struct PoolLine {
  std::string tier;  // "": entries without one
  Money paid;
  Money used;
  Money wasted;  // attempts that failed or were lost, whoever paid for them
  Money idle;    // paid up-time without work, hours of packages that lapsed to the lab
  Money rest;    // minimum and rounding, disk, egress, variance of price less vouchers, unknown
  int64_t unit_ms = 0;
};

// [from, to), by name of the tier, entries without one last.
StatusOr<std::vector<PoolLine>> ReadPoolReport(ReadPool& pool, Timestamp from, Timestamp to);

}  // namespace pinka::db
