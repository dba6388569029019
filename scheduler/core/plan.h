// Who starts next (design.md 8): a pure function of the state, asked again until it names nobody.
//
// The recipe, per tier:
//   1. each member's head: the best waiting job of each queue;
//   2. merge the heads by (has a share, exact priority, submit time, id);
//   3. judge the best: array throttle, tier, limits, lots, room, in the order of reason.h;
//   4. fits: start it there. Blocked by a limit or by money: the member's next job. Blocked by
//      room: its nodes wait for it, so that a wide job is never starved by small ones. One that
//      no ready node could take even when empty holds nobody up.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "scheduler/core/attempt.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/state.h"

namespace pinka {

// Nothing where nobody in this tier can start now.
std::optional<Start> NextStart(const State& state, TierId tier);

// Why one task of this job cannot start now, or where it would. The same judgement as the plan's.
struct Judgement {
  Blocked blocked;  // reason kOk where it can start
  std::optional<Start> start;
  std::set<Source> waits_for;  // blocked by room: how the nodes are paid for that would do
};
Judgement Judge(const State& state, const JobRow& job);

// The best fit for `units` of which `gpus` cards, paid by `source` for up to `span`: of the READY
// nodes that suffice, the one where the most minutes of it are paid for already (rentals.h); among
// such, the one with the least free.
std::optional<std::pair<NodeId, std::vector<int32_t>>> Place(const State& state, TierId tier,
                                                             Source source, int32_t units,
                                                             int32_t gpus, Duration span);

// Units of work: max(gpus, cpus, memory) in the tier's unit, at least 1 (semantics.md 1).
int32_t UnitsOf(const TierRow& tier, int32_t gpus, int32_t cpus, int64_t memory);

// The tier's waiting jobs, best first, over all members: what `ls` calls position. `visit` returns
// false to stop.
void VisitInOrder(const State& state, TierId tier,
                  const std::function<bool(const JobRow&, uint64_t fair)>& visit);

}  // namespace pinka
