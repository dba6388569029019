// One history of the simulated world, from one seed: a lab with two machines, members who submit,
// cancel and pay, and everything that goes wrong. For some hours faults happen; then the world
// calms down and must come to rest. What must hold is checked after every step and at the end.
//
//   const History h = RunHistory(seed);   // h.violations is empty, or the seed is a bug report
//
// Invariants: no task runs twice at once, no attempt begins twice; nothing that was acknowledged is
// lost or done twice; each attempt settles once, holds equal open attempts, money is conserved
// (audit.h); a core loaded anew is the running one; at rest nothing runs that nobody wants, and
// what was settled is what was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pinka::sim {

struct History {
  int64_t events = 0;
  int64_t faults = 0;
  int64_t batches = 0;
  int64_t attempts = 0;
  int64_t jobs = 0;
  std::vector<std::string> violations;  // each with its simulated time
  std::string trace;                    // a digest of everything: equal for equal seeds
};

History RunHistory(uint64_t seed);

}  // namespace pinka::sim
