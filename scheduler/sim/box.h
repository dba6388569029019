// A machine of the simulated world: its agent, the supervisors of its attempts and their processes.
// What the agent does is agent/core's Reconcile; records are durable, processes are not. Crashes:
// the agent alone, one supervisor alone, or the whole machine (which comes back with another boot
// id); its disk runs full and has room again. What really runs is told to Truth, which nobody else
// asks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/answer_fence.h"
#include "agent/core/reconcile.h"
#include "scheduler/sim/event_heap.h"
#include "scheduler/sim/scheduler_host.h"

namespace pinka::sim {

// What really happens, seen from outside.
class Truth {
 public:
  void Exec(const AttemptId& id, Timestamp now);
  void Over(const AttemptId& id, Timestamp now);
  const std::map<TaskId, AttemptId>& running() const { return running_; }
  // How long it has run; zero if it never did.
  Duration Ran(const AttemptId& id) const;
  bool Executed(const AttemptId& id) const { return began_.contains(id); }
  std::vector<std::string> violations;

 private:
  std::map<TaskId, AttemptId> running_;
  std::map<AttemptId, Timestamp> began_;
  std::map<AttemptId, Duration> ran_;
};

class Box {
 public:
  Box(EventHeap& heap, Chance& chance, Network& network, SchedulerHost& scheduler, Truth& truth,
      std::string name, NodeFacts facts);

  void Start();  // boots
  void CrashMachine();
  void CrashAgent();
  void CrashSupervisor();  // of one attempt that runs, if any
  void FillDisk();         // for a while: it takes nothing new, and what runs may end
  const std::string& name() const { return name_; }
  size_t records() const { return records_.size(); }

 private:
  // The durable record of one attempt, and what its supervisor knows.
  struct Job {
    Record record;
    ObservedAttempt seen;
    Duration time_limit;
    Duration grace;
    Duration start_by;
    Duration fence;  // zero: none
    Timestamp exec_at;
    std::string stop_reason;
  };

  void StartAgent();
  void SyncLoop(int64_t agent_life);
  void SendSync();
  void Hear(const SyncAnswer& answer);
  void Act();
  void Do(const Action& action);
  void Launch(const AttemptId& id, Duration start_by);
  void Exec(const AttemptId& id);
  void Stop(const AttemptId& id, const std::string& reason, Duration grace);
  bool FenceCrossed(const Job& job) const;
  void WatchFence(const AttemptId& id);
  void Finish(const AttemptId& id, EndReason reason, bool exited, int code);
  void Bury(const AttemptId& id);
  AgentReport Report() const;
  Duration Boottime() const { return heap_.now() - booted_at_; }
  // Runs `what` later unless the machine, and so every process on it, has died until then.
  void Later(Duration span, std::function<void()> what);

  EventHeap& heap_;
  Chance& chance_;
  Network& network_;
  SchedulerHost& scheduler_;
  Truth& truth_;
  const std::string name_;
  const NodeFacts facts_;
  std::set<std::string> gpu_uuids_;
  // Durable.
  std::map<AttemptId, Job> records_;
  AnswerFence fence_;
  int64_t incarnation_ = 0;
  std::string lab_run_;
  // Of this boot, and of this agent's process.
  int64_t boot_ = 0;
  Timestamp booted_at_;
  Duration heartbeat_;  // boottime of the sending of the last request that was answered
  int64_t agent_life_ = 0;
  bool agent_up_ = false;
  bool disk_full_ = false;
  int64_t sequence_ = 0;
  std::optional<Answer> answer_;
  std::map<AttemptId, NodeOrders::Order> orders_;
};

}  // namespace pinka::sim
