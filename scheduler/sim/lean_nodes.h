// Machines with perfect agents, for replays of months: an order is carried and begun in the instant
// in which it is given, an end is told in the instant in which it happens. Meters are told at ends
// and at the ends of months, which is when core posts them. Nothing is lost, late or repeated: that
// is the simulated world of chaos.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduler/core/core.h"

namespace pinka::sim {

// One stretch of work on one machine.
struct Run {
  int32_t job = 0;   // index into the replay's jobs
  int32_t node = 0;  // index of the machine
  AttemptId attempt;
  MemberId member;
  TierId tier;
  Source source = Source::kOnDemand;
  int32_t units = 0;
  std::vector<int32_t> gpus;
  Timestamp from;
  Timestamp to;   // none: it goes on
  Duration warm;  // first of it, until the task is where it was
  Duration kept;  // of it, what the task need not do again
  EndReason end = EndReason::kNone;
  bool failed = false;  // exit code 1
};

class LeanNodes {
 public:
  // A checkpoint is written after each `checkpoint_every` of work; zero: never. A task that goes on
  // needs `restart` before it does.
  explicit LeanNodes(Duration checkpoint_every, Duration restart = {})
      : checkpoint_every_(checkpoint_every), restart_(restart) {}

  // A machine that is up, and will register with the next news.
  int32_t Add(const std::string& name, const NodeFacts& facts);
  // It goes away with notice: what runs there ends SpotReclaim. Or it comes back, booted anew.
  void Take(int32_t node, Timestamp now);
  void Return(int32_t node);
  const std::string& name(int32_t node) const { return nodes_[static_cast<size_t>(node)].name; }
  bool up(int32_t node) const { return nodes_[static_cast<size_t>(node)].up; }
  int32_t units(int32_t node) const { return nodes_[static_cast<size_t>(node)].facts.units; }
  TierId tier(int32_t node) const { return nodes_[static_cast<size_t>(node)].facts.tier; }

  // What a machine should be doing, from core. Returns the attempts that begin now: indices of
  // runs.
  std::vector<size_t> Hear(const NodeOrders& orders, Timestamp now);
  // The run ends by itself, unless it has ended already.
  void Finish(size_t run, EndReason reason, bool failed, Timestamp now);

  // What it has written so far, told now.
  void Checkpoint(size_t run, Timestamp now);

  // Of all machines with news, by index; they have none then.
  std::vector<AgentReport> TakeReports();
  // All that runs: told at a month's end.
  StoreMeters Meters(Timestamp now);

  std::vector<Run>& runs() { return runs_; }
  size_t running() const { return running_; }

 private:
  struct Node {
    std::string name;
    NodeFacts facts;
    bool up = true;
    int64_t boots = 1;
    std::map<AttemptId, std::pair<size_t, ObservedAttempt>> records;  // run, what is told
  };
  void End(Node& node, ObservedAttempt& seen, size_t run, EndReason reason, bool failed,
           Timestamp now);

  Duration Kept(const Run& run, Timestamp now) const;
  void Measure(ObservedAttempt& seen, const Run& run, Timestamp now) const;

  const Duration checkpoint_every_;
  const Duration restart_;
  std::vector<Node> nodes_;
  std::map<std::string, int32_t> by_name_;
  std::set<int32_t> news_;
  std::vector<Run> runs_;
  size_t running_ = 0;
};

}  // namespace pinka::sim
