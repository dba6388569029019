// The room of a tier over time (semantics.md 2, "Backfill"): what is free on each node now, when
// running work gives room back if it uses its whole limit, and what is promised to whom waits.
// Built for one pass or one answer, never kept. Pure, not thread-safe.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/core/sources.h"
#include "scheduler/core/state.h"

namespace pinka {

// The room that one task needs on one node: units, of which so many cards, for so long.
struct Wanted {
  int32_t units = 1;
  int32_t gpus = 0;
  Duration span;  // time limit and grace
  Source source = Source::kOnDemand;
  int32_t need_cuda = 0;  // 0: any
};
Wanted WantedBy(const JobRow& job, Source source);

// A driver that is not known serves nothing for certain; simulated cards serve everything.
bool ServesCuda(const NodeRow& node, int32_t need);
std::string PrintCuda(int32_t number);  // 12040 is "12.4"
// "needs CUDA 12.4; n2 offers 11.0, n3 does not say": why no ready node of the tier serves it, or
// "".
std::string NoCuda(const State& state, TierId tier, int32_t need);

// When an open attempt gives its room back at the latest, as far as limits say; after `now`.
// What is being stopped has its grace left.
Timestamp EndByLimit(const State& state, const AttemptRow& attempt);
// The same if it is stopped now.
Timestamp EndIfStopped(const State& state, const AttemptRow& attempt);

// What is free of one node from now on: a step function.
class NodeTimeline {
 public:
  NodeTimeline() = default;
  NodeTimeline(Timestamp now, int32_t units, int32_t gpus)
      : now_(now), units_(units), gpus_(gpus) {}

  // From `at` on (not before now) there is so much more, or less.
  void Change(Timestamp at, int32_t units, int32_t gpus);
  void Take(Timestamp from, Timestamp until, int32_t units, int32_t gpus);
  // The first instant, not before `from`, from which it is free for the whole span; Never where
  // there is none.
  Timestamp EarliestFit(const Wanted& wanted, Timestamp from = Timestamp()) const;
  // How long `units` and `gpus` stay free from now on; 0 where they are not.
  Duration FreeNow(int32_t units, int32_t gpus) const;

 private:
  struct Step {
    Timestamp at;
    int32_t units = 0, gpus = 0;
  };
  Timestamp now_;
  int32_t units_ = 0, gpus_ = 0;  // free now
  std::vector<Step> steps_;       // by instant, one each
};

// Where and from when a task could run.
struct Slot {
  NodeId node;
  Timestamp at;
};

class TierRoom {
 public:
  // kWhole: running work uses its whole limit. kHalf: half of what is left of it, for guesses.
  enum class Pace : int8_t { kWhole, kHalf };
  TierRoom(const State& state, TierId tier, Pace pace = Pace::kWhole);

  // Reads what runs from the state: at the first question that needs it, or now.
  void Build();

  bool empty() const { return nodes_.empty(); }  // no node is ready
  size_t size() const { return nodes_.size(); }
  // The most units that are free on one node now.
  int32_t widest() const { return free_.empty() ? 0 : free_.rbegin()->first; }

  // Whether some ready node could take it if nothing else ran there.
  bool FitsEmpty(const Wanted& wanted) const;
  // Of the ready nodes that have room now and leave every promise as it is, the one where the most
  // minutes of it are paid for already (rentals.h); among such, the one with the least room.
  std::optional<NodeId> FitNow(const Wanted& wanted) const;
  // The same without regard to promises.
  std::optional<NodeId> FreeNow(const Wanted& wanted) const;
  // The earliest slot beside all promises; ties: the smaller node, then the older.
  std::optional<Slot> Earliest(const Wanted& wanted, Timestamp from = Timestamp());
  // The longest span for which it could run from now on without touching a promise.
  Duration LongestNow(const Wanted& wanted) const;

  // Room is taken from now on, or promised from then on.
  void Start(NodeId node, const Wanted& wanted);
  void Promise(const Slot& slot, const Wanted& wanted);
  void Withdraw(const Slot& slot, const Wanted& wanted);  // of a promise

  // Whether it may run there at all, whatever room there is: by how the node is paid for, and by
  // what its driver serves.
  bool Suits(const NodeRow& node, const Wanted& wanted) const {
    return paid_by_.MayRun(node, wanted.source) && ServesCuda(node, wanted.need_cuda);
  }
  // One node's timeline, to try something on; null where it is not ready.
  const NodeTimeline* Find(NodeId node);

 private:
  struct Room {
    const NodeRow* row = nullptr;
    int32_t units = 0, gpus = 0;  // free now
    bool promised = false;
    NodeTimeline timeline;  // where built_
  };
  bool Has(const Room& room, const Wanted& wanted) const {
    return room.units >= wanted.units && room.gpus >= wanted.gpus && Suits(*room.row, wanted);
  }
  Room& At(NodeId node);

  const State* state_;
  NodesOf paid_by_;
  bool rented_ = false;  // some node of the tier is paid for in blocks
  Pace pace_;
  bool built_ = false;                         // timelines: only where something is promised
  std::vector<Room> nodes_;                    // by id
  std::set<std::pair<int32_t, size_t>> free_;  // (units, index) of nodes with free units
};

}  // namespace pinka
