// What minimums and blocks bind the lab to pay beyond now (semantics.md 8): members pay by the
// second, so that nobody's hold says it, but it is spent all the same. Per open rental it is the
// rest of the minimum or block at the rule's rate, less what is held for work on that machine: of
// that the members pay. 12.00 an hour in whole hours, on for 5 minutes: 11.00; with a hold of 9.00
// on it: 2.00.
//
// It counts against the lab's own limits of money (of all, scope lab). Work that starts on such a
// machine takes over what it holds, so that minutes which are paid for already are never too dear.
#pragma once

#include "scheduler/core/state.h"

namespace pinka {

struct Bound {
  Money sum;
  Money most;  // of a machine that can take the work
  int32_t machines = 0;
};

// Of the rentals of a tier (none: of all); `units` more of tier `on` are to run.
Bound BoundOf(const State& state, TierId tier, TierId on = {}, int32_t units = 0);

// "12.00 of it are bound by minimums and blocks of 1 machine", or "".
std::string Describe(const State& state, const Bound& bound);

}  // namespace pinka
