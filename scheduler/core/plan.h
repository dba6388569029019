// Who starts next (semantics.md 2): a pure function of the state, asked until it names nobody.
//
// The recipe of a pass over one tier:
//   1. each member's head: the best waiting job of each queue;
//   2. merge the heads by (has a share, exact priority, submit time, id);
//   3. judge the best: array throttle, tier, limits, lots, room, in the order of reason.h;
//   4. fits, and ends before a promise on that node needs the room: start it there, on the node
//   with
//      the least room that suffices. The member's share has moved: merge anew and go on.
//   5. blocked by a limit or by money: the member's next job. One that no ready node could take
//   even
//      when empty holds nobody up either.
//   6. blocked by room: the first kPromisedJobs such jobs are promised the earliest slot at which
//   they
//      fit by the limits of what runs, beside earlier promises. Then the next job.
//
// Before the first of them, jobs that others were stopped for (job.freed_at) are promised the
// earliest slot: freed space stays promised to whom it was freed for, until it starts or goes away.
// What waits for spot by choice (deadline.h) is promised on-demand room from when it would take it.
//
// A start changes shares, so passes follow until one starts nobody. What was promised in a pass
// moves later only for work that stands better, or where a node or a limit has changed: never for
// what was filled in behind it. Promises are computed each time and stored nowhere.
//
// Bounds of a pass: it looks at kLooks jobs at most, at kLookBehind blocked ones of one member, and
// no further than there is a free unit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/attempt.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/sources.h"
#include "scheduler/core/state.h"
#include "scheduler/core/tier_queue.h"
#include "scheduler/core/timeline.h"

namespace pinka {

inline constexpr size_t kPromisedJobs = 8;
inline constexpr int kLookBehind = 100;
inline constexpr int kLooks = 2'000;

// What may pay for one task of a job now, best first, or what beside room stops it.
struct Permit {
  Blocked blocked;
  std::vector<Offer> offers;
};
Permit Permitted(const State& state, const JobRow& job);

// What a pass has found of one job.
struct Look {
  JobId job;
  Blocked blocked;  // kOk where it can start
  std::optional<Start> start;
  std::vector<Offer> offers;    // of one that room blocks: what would pay
  std::optional<Slot> promise;  // likewise: the earliest slot that one of them would pay for
  Wanted wanted;                // of the promise
};
// Whether only room keeps it from starting.
bool BlockedByRoom(const Look& look);

class TierPass {
 public:
  // kStarts: as far as somebody may start. kPromises: until all promises are given. kReasons: as
  // far as the bounds go, with sentences for people; who could start is looked at as if started.
  enum class Depth : int8_t { kStarts, kPromises, kReasons };
  TierPass(const State& state, TierId tier, Depth depth = Depth::kStarts);

  // Of kStarts: the next start, which is ordered before this is called again; nothing at the end.
  std::optional<Start> Next();

  // Of the others: the whole pass. What it saw, in order.
  const std::vector<Look>& Finish();

  // How a job would fare now, beside all that this pass has promised.
  Look Consider(const JobRow& job) const;
  const TierRoom& room() const { return room_; }
  struct Promised {
    JobId job;
    Slot slot;
    Wanted wanted;
  };
  // To jobs that room was freed for and that this pass has not come to.
  const std::vector<Promised>& freed() const { return freed_; }

 private:
  bool Enough() const;
  void PromiseFreed(const JobRow& job);
  void Redeem(JobId job);
  void Promise(const JobRow& job, Look& look);
  bool PlaceEarliest(const JobRow& job, Look& look);
  std::optional<JobId> PromisedOn(NodeId node) const;
  void WhyNoRoom(const JobRow& job, Look& look) const;
  std::optional<Start> Step();

  const State* state_;
  Depth depth_;
  TierQueue queue_;
  TierRoom room_;
  std::vector<Promised> freed_;
  std::vector<Promised> promises_;
  std::vector<Look> looks_;
  int looked_ = 0;
  bool ordered_ = false;  // the last start is being ordered
};

// The first start of a pass; nothing where nobody in this tier can start now.
std::optional<Start> NextStart(const State& state, TierId tier);

// Units of work: max(gpus, cpus, memory) in the tier's unit, at least 1 (semantics.md 1).
int32_t UnitsOf(const TierRow& tier, int32_t gpus, int32_t cpus, int64_t memory);

// The tier's waiting jobs, best first, over all members: what `ls` calls position. `visit` returns
// false to stop.
void VisitInOrder(const State& state, TierId tier,
                  const std::function<bool(const JobRow&, uint64_t fair)>& visit);

}  // namespace pinka
