// Preemption (semantics.md 2): work that may be interrupted gives way to a job that stands better.
//
// Who may be stopped: work of class scavenger, work on spot, and work on package hours borrowed
// from the very member whose job needs them. It has run at least max(the tier's min_run, the block
// that its node's provider bills), and was not preempted in the last hour.
//
// For whom: jobs of class normal or debug that only room, or only their own lent hours, keep from
// starting, and that would themselves start as work which nobody may stop. So a chain of
// preemptions ends at once: who preempts is never preempted. The job must stand before its victims
// in the plan's own order even after its start is counted, and it must gain time by it.
//
// How many: on one node, the fewest; among such, the fewest units, then who stands last. Taken
// largest first until it fits, and each that turns out not to be needed is given back, in reverse.
// What is being freed counts as room from the end of the victims' grace on, so the plan promises it
// to the job at once; for a job that waits for such room nobody else is stopped.
//
// Whom room was freed for is a fact of its job (freed_at): until it starts or goes away, every pass
// promises it the earliest room before anybody else is looked at, so that what one gave way to is
// not taken by another.
#pragma once

#include <optional>
#include <vector>

#include "scheduler/core/sources.h"
#include "scheduler/core/state.h"

namespace pinka {

inline constexpr Duration kPreemptAgain = Duration::Hours(1);

struct Preemption {
  JobId job;
  std::vector<AttemptId> victims;  // running, in the order chosen
};

// The first waiting job of this tier, in order, for which others are to be stopped; nothing where
// there is none, where the policy has no preemption, or where somebody can start without.
std::optional<Preemption> NextPreemption(const State& state, TierId tier);

// Stops the victims; each one's event and message name the job.
void Preempt(State& state, const Preemption& preemption);

// What a job that room was freed for is promised room by: what would pay for it now or once those
// that give way are gone; nothing where something else stops it.
std::vector<Offer> FreedOffers(const State& state, const JobRow& job);

// The shortest time that running work is left alone: the tier's min_run, the provider's block.
Duration LeastRun(const State& state, const AttemptRow& attempt);
// Whether its task gave way in the last hour.
bool PreemptedLately(const State& state, AttemptId id);

}  // namespace pinka
