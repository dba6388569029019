// The agent's loop: look, decide, act, report. One thread looks (attempt directories), lets core
// decide (Reconcile) and hands what may block to workers; one Synchronize call is on its way at a
// time, and news from an attempt cuts a held one short.
//
// Everything the loop knows can be read again from disk, so a kill at any instruction loses
// nothing; supervisors go on meanwhile.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/box.h"
#include "agent/card_memory.h"
#include "agent/core/backoff.h"
#include "agent/core/reconcile.h"
#include "agent/file_keeper.h"
#include "agent/fitness.h"
#include "agent/hardware_news.h"
#include "agent/launcher.h"
#include "agent/log_uploader.h"
#include "agent/records.h"
#include "agent/scheduler_client.h"
#include "agent/spot_watch.h"
#include "agent/work.h"
#include "base/clock.h"
#include "base/random.h"

namespace pinka {

class Agent {
 public:
  struct Places {
    std::string supervisor;  // the program
    std::string scratch;     // of the jobs
    int64_t disk_floor_bytes = Fitness::kFloorBytes;
  };
  // All outlive the agent. `state` is open, and stays this agent's. `checker` may be null: there is
  // no hardware to check. So may `spot`: nobody takes this box away.
  Agent(StateDir* state, const Box& box, SchedulerClient* client, const Places& places,
        inspect::Checker* checker, SpotWatch* spot);

  // Until `signals_fd` (a signalfd) has something: then it says goodbye and returns. Jobs go on.
  void Run(int signals_fd);

 private:
  struct Reply {
    int64_t sequence = 0;  // of the request
    Status status;
    v1::SynchronizeResponse response;
  };
  // Where gRPC's threads leave replies; outlives the agent with a call that is on its way.
  struct Mailbox {
    std::mutex mutex;
    std::optional<Reply> reply;
    std::string wake;  // the FIFO of events
  };

  void Look();
  void Judge();
  void Act();
  void Do(const Action& action);
  void StopAttempt(const Action& action);
  void FeedUploader();
  void WaitForEvents(int signals_fd);
  void WatchSupervisors();
  void WatchCards();

  void Talk();
  void Send();
  v1::SynchronizeRequest MakeRequest();
  int64_t HoldMs() const;
  bool IsReported(const Observation& seen) const;
  std::string Shape() const;
  bool CallIsStale() const;
  void TakeReply();
  void TakeRemoval();
  void TakeAnswer(const v1::SynchronizeResponse& response);
  void SayGoodbye();
  void Poke() const { AttemptDir::PokeFifo(state_->EventsPath()); }

  SystemClock clock_;
  SystemRandom random_;
  StateDir* state_;
  const Box& box_;
  SchedulerClient* client_;
  Records records_;
  Payloads payloads_;
  Stager stager_;
  Launcher launcher_;
  Fitness fitness_;
  SpotWatch* spot_;
  std::optional<SpotReclaim> reclaim_;
  bool disk_unfit_ = false;
  std::string unfit_;
  HardwareNews hardware_;
  std::unique_ptr<CardMemory> cards_;  // null: there are none to ask
  std::vector<Observation> seen_;
  std::map<AttemptKey, Fd> supervisors_;  // pidfds: readable once a supervisor has gone

  // Talking.
  std::shared_ptr<SchedulerClient::Call> call_;  // null: none on its way
  int64_t sequence_ = 0;
  int64_t hold_sent_ms_ = 0;
  v1::SynchronizeRequest sent_;  // only what of its hardware it told
  std::string shape_sent_;       // of the request on its way
  std::string shape_known_;      // of the last request that was answered
  Duration sent_at_;             // CLOCK_BOOTTIME
  Duration send_at_;             // not before
  Backoff backoff_;
  bool reachable_ = false;
  std::string complaint_;  // said already
  bool draining_ = false;
  int64_t desired_version_ = 0;
  std::optional<Answer> answer_;
  std::map<AttemptId, v1::DesiredAttempt> orders_;  // of the answer
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();

  FileKeeper keeper_;
  LogUploader uploader_;
  Work launching_;
  Work burying_;
};

}  // namespace pinka
