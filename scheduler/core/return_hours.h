// Hours of a package that are given back (semantics.md 8). While the portion that they came from is
// open they return to it, and what they had cost to the package's inventory, so that what has moved
// stays price x used / total. Later there is nothing to return them to: hours and their cost become
// the lab's overhead, and the member has spent so much less.
//
// Each is two entries, hours and money, that both name the charge of the hours. What is given back
// of one is bounded in hours; their cost is, of what the attempt was charged, the same part.
#pragma once

#include <string>
#include <vector>

#include "scheduler/core/entries.h"

namespace pinka {

// What became of it, for people.
struct HoursBack {
  Money to_portions;  // unit-milliseconds
  Money to_inventory;
  Money to_lab;  // unit-milliseconds
  Money to_overhead;
};
std::string Describe(const State& state, const HoursBack& back);

// Gives back `hours` of a charge, at most what is left of it. `entries`: all charges and reversals
// of its attempt; `verb`: who asks, and why.
void ReturnHours(State& state, const std::vector<NamedEntry>& entries, const NamedEntry& charge,
                 Money hours, const TransferRow& verb, HoursBack* back);

}  // namespace pinka
