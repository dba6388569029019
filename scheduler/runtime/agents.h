// The agents' board (design.md 12, "Synchronize at scale"): what each node should be doing as of
// the last commit, when it was last heard, its newest meters, and who is waiting for news. A call
// reaches core only with news. Silence and proofs are counted on CLOCK_BOOTTIME: a wall clock that
// is set proves nothing. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "scheduler/core/command.h"
#include "scheduler/core/core.h"

namespace pinka {

class AgentBoard {
 public:
  // `term_began`: core's time as it was loaded. What was ordered up to then may have been carried
  // by an earlier leader.
  AgentBoard(const Clock& clock, int64_t term, std::string lab_run, Timestamp term_began);

  // After a commit (and, with all nodes, after a load).
  void Publish(std::vector<NodeOrders> orders);

  // A call arrived. Stores last-heard and meters; true where it carries news that core must see:
  // another instance, incarnation, boot id, facts or drain wish than last time, or an attempt
  // whose state core has not been told of.
  bool Heard(const AgentReport& report);
  // Core has committed this report: what it said is no longer news.
  void Told(const AgentReport& report);

  // Calls `then` once with the node's orders as soon as their version differs from `known` or
  // `hold` is over. Marks what it hands out as carried.
  struct Answer {
    int64_t term = 0;
    int64_t sequence = 0;
    std::string lab_run;
    NodeOrders orders;
    bool known = false;  // false: core has no such node (yet)
  };
  void WhenNews(const std::string& node, int64_t known, Duration hold,
                std::function<void(const Answer&)> then);

  // Runs due timeouts of WhenNews; returns when to call again at the latest.
  Timestamp ExpireWaiters();
  // Answers every waiter (shutdown).
  void ReleaseAll();

  // For the runtime's minute and silence timers.
  std::vector<StoreMeters::Meter> TakeMeters();  // changed since the last call
  struct Silence {
    NodeId node;
    std::string name;
    Timestamp heard_at;                    // none: not in this term
    std::vector<AttemptId> unknown;        // what may run there
    std::vector<AttemptId> never_carried;  // sealed: they will not be handed out any more
  };
  std::vector<Silence> TakeSilent(Duration after);
  std::vector<AttemptId> ProvenOver();  // (d) and (e) of semantics.md 5
  Timestamp LastHeard(const std::string& node) const;
  Duration MeteredOf(const AttemptId& id) const;  // newest meter, stored or not; zero if unknown

 private:
  struct Waiter {
    int64_t known = 0;
    Timestamp until;
    std::function<void(const Answer&)> then;
  };
  struct Node {
    NodeOrders orders;
    bool published = false;
    Duration heard;      // boottime
    Timestamp heard_at;  // the same, for people
    std::string told;    // fingerprint of the last report core has seen
    bool silent = false;
    std::map<AttemptId, Duration> carried;  // order -> last answer that carried it
    std::vector<AttemptId> sealed;
    std::vector<Waiter> waiters;
  };
  struct Meter {
    int64_t metered_ms = 0;
    int64_t log_bytes = 0;
    bool changed = false;
  };
  Answer MakeAnswer(Node& node);

  const Clock& clock_;
  const int64_t term_;
  const std::string lab_run_;
  const Timestamp term_began_;
  const Duration up_at_term_;
  mutable std::mutex mutex_;
  int64_t sequence_ = 0;
  std::map<std::string, Node> nodes_;
  std::map<AttemptId, Meter> meters_;
};

}  // namespace pinka
