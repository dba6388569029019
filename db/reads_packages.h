// Group purchases as people see them. Hours are unit-milliseconds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

struct PackageLine {
  PackageRow row;
  std::string tier;
  std::string payer;  // "": from outside
};

// One owner's part. What the owner holds and what others hold on it is set aside, not yet charged.
struct PortionLine {
  PortionRow row;
  std::string owner;       // "lab": what nobody was given
  int64_t posted_ms = 0;   // charged on this portion, by whomever
  int64_t held_ms = 0;     // held on it, by whomever
  int64_t used_ms = 0;     // charged to its owner, on whatever portion
  int64_t holding_ms = 0;  // held by its owner, on whatever portion
  int64_t lent_ms = 0;     // of posted_ms: to others
  int64_t lending_ms = 0;  // of held_ms: by others
  Money spent;             // the cost of used_ms
};

struct Packages {
  std::vector<PackageLine> packages;  // by id
  std::vector<PortionLine> portions;  // by package and member, the lab's last
};

// All of them, closed ones too or not, or one.
StatusOr<Packages> ReadPackages(ReadPool& pool, PackageId one = {}, bool closed_too = true);
// By member: what each has brought in, less what was given back.
StatusOr<std::map<MemberId, Money>> ReadPaidIn(ReadPool& pool);

}  // namespace pinka::db
