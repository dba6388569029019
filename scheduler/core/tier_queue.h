// The waiting jobs of one tier, best first over all members and projects: their queues merged by
// (has a share, exact priority, submit time, id), in place and without copies (fair_share.h,
// "Order").
//
//   for (TierQueue queue(state, tier); !queue.empty(); queue.Next()) Look(queue.top());
//
// A walk through all that waits sees each job once, in order. Not thread-safe.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "scheduler/core/fair_tree.h"
#include "scheduler/core/state.h"

namespace pinka {

// What the order of two jobs depends on at this instant.
struct Standing {
  bool has_share = false;
  Int128 exact = 0;
  Timestamp submitted_at;
  JobId job;
  friend bool operator<(const Standing& a, const Standing& b);  // a goes first: a total order
};
Standing StandingOf(const State& state, const JobRow& job, const Shares& shares);

class TierQueue {
 public:
  TierQueue(const State& state, TierId tier);

  bool empty() const { return heads_.empty(); }
  const JobRow& top() const { return *heads_.front().job; }
  uint64_t fair() const { return heads_.front().fair; }  // of its member, Q62
  int passed() const { return heads_.front().passed; }   // jobs of its member before it

  void Next();        // on to the next job, of whomever
  void NextMember();  // the rest of this member's jobs is left out

  // Around a change of the state that touches this tier's jobs by nothing but an order of a task of
  // top(): the place is kept, and shares are taken anew.
  void BeforeStart();
  void AfterStart();

 private:
  using Iterator = std::set<QueuePlace>::const_iterator;
  struct Head {
    ShareKey whose;
    Iterator young, young_end, capped, capped_end;
    uint64_t fair = 0;
    bool from_young = false;
    const JobRow* job = nullptr;  // null: no more
    Standing standing;
    int passed = 0;
  };

  static bool Later(const Head& a, const Head& b) { return b.standing < a.standing; }
  void Settle(Head& head, const Shares& shares) const;

  const State* state_;
  TierId tier_;
  Shares shares_;
  std::vector<Head> heads_;  // a heap
  std::optional<QueuePlace> young_place_, capped_place_;
};

}  // namespace pinka
