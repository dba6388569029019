// The heart: one deterministic state machine without I/O, clock, randomness or floating point
// (design.md 3). Same commands and times in the same order: same state, same replies, always.
//
//   Core core(snapshot);
//   Reply r = core.Apply(command, now);      // now never goes back; earlier is taken as the last
//   Changes c = core.TakeChanges();          // at the end of a batch: what to commit
//
// Nothing that Apply returns may leave the process before the batch's commit. After a failed commit
// the object is thrown away and loaded anew. Not thread-safe: one thread owns it.
#pragma once

#include <string>
#include <vector>

#include "scheduler/core/board.h"
#include "scheduler/core/changes.h"
#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

// What one node should be doing, published to its agent after the commit.
struct NodeOrders {
  NodeId node;
  std::string name;
  int64_t version = 0;
  bool drain = false;
  int64_t verify = 0;  // > 0: the newest check of its hardware that an admin has asked for
  struct Order {
    AttemptRow attempt;
    std::string payload;
    std::string tier;
    std::string user;
    std::vector<std::string> gpu_uuids;
    int32_t gpus = 0, cpus = 0;
    int64_t memory = 0;
    int32_t array_size = 0;
    int32_t restart_count = 0;
    bool cut_by_budget = false;  // its time limit is what money allows
  };
  std::vector<Order> orders;  // sorted by attempt id
};

class Core {
 public:
  // Another policy than a running lab's is for simulations, which begin without jobs.
  explicit Core(const Snapshot& snapshot, const Policy& policy = {});

  // First everything due before `now`, in time order; then the command. Refusals change nothing
  // beyond what was due.
  Reply Apply(const Command& command, Timestamp now);

  // Starts what can start, until nobody can or the batch has `max_rows` rows; true where there is
  // more to do. Called once a batch after its commands; a no-op where nothing changed.
  bool Schedule(int64_t max_rows);
  // Rows that TakeChanges would give, about.
  int64_t TouchedRows() const;

  Changes TakeChanges();
  // Nodes whose orders changed since the last call, to publish after the commit.
  std::vector<NodeOrders> TakeOrders();
  // All nodes, after a load.
  std::vector<NodeOrders> AllOrders() const;

  // When Apply(Tick) should be called at the latest; Never where nothing is due.
  Timestamp NextWakeup() const;
  Timestamp now() const { return state_.now; }

  // SHA-256 over every row in a canonical order: equal for a running core and its reload.
  std::string Digest() const;

  const State& state() const { return state_; }

 private:
  State state_;
};

}  // namespace pinka
