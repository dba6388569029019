// The scheduler process of the simulated world: the production pipeline and core over the fake
// store, and a small board of agents. It commits with a delay, is told late or never what became of
// a commit, crashes and loads again. Policy and money are core's; here is none.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/runtime/pipeline/pipeline.h"
#include "scheduler/sim/event_heap.h"
#include "scheduler/sim/fake_store.h"

namespace pinka::sim {

// One Synchronize call: the agent's view, numbered; and its answer.
struct SyncRequest {
  AgentReport report;
  int64_t sequence = 0;
  Duration sent_at;  // the box's CLOCK_BOOTTIME
};
struct SyncAnswer {
  std::string lab_run;
  int64_t term = 0;
  int64_t sequence = 0;
  Duration request_sent_at;
  NodeOrders orders;
};

class SchedulerHost {
 public:
  SchedulerHost(EventHeap& heap, Chance& chance, FakeStore& store)
      : heap_(heap), chance_(chance), store_(store) {}

  void Start();
  void Crash();
  bool up() const { return pipeline_.has_value(); }

  // What arrives. The callback is the answer leaving; it never comes where the process dies first.
  void Ask(Command command, std::function<void(const Outcome&)> answer);
  void Synchronize(const SyncRequest& request, std::function<void(const SyncAnswer&)> answer);

  // After each commit that this process knows of; `core` has nothing uncommitted then.
  std::function<void(const Core& core)> on_commit = [](const Core&) {};
  std::vector<std::string> alarms;

 private:
  struct Node {
    NodeOrders orders;
    Timestamp heard;
    bool silent = false;
    std::pair<int64_t, int64_t> last;  // incarnation, sequence
    std::map<AttemptId, Timestamp> carried;
    std::set<AttemptId> sealed;  // withdrawn before any answer carried them
  };
  using Done = std::function<void(const Outcome&)>;

  void Offer(Command command, Lane lane, Done done);
  void Pump();
  void SendCommit(Batch batch);
  void CommitArrives(int64_t life, Batch batch);
  void Load();
  void Deliver();
  void Timer(int64_t life);
  void LookForSilence();
  SyncAnswer AnswerTo(const SyncRequest& request, Node& node);
  void AttachAndAsk(Command command, const std::vector<JobId>& need, Done done);

  EventHeap& heap_;
  Chance& chance_;
  FakeStore& store_;
  std::optional<Pipeline> pipeline_;
  int64_t life_ = 0;  // of this process; callbacks of an earlier one are dropped
  int64_t term_ = 0;
  int64_t sequence_ = 0;
  uint64_t next_ask_ = 1;
  Timestamp loaded_at_;
  std::map<uint64_t, Done> asks_;
  std::map<std::string, Node> nodes_;
};

}  // namespace pinka::sim
