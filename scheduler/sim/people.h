// The members and admins of the simulated world: what they ask for, over a network that loses and
// repeats, again and again under one request id until somebody answers. They remember what they
// were told, so that a checker can hold the lab to it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scheduler/sim/event_heap.h"
#include "scheduler/sim/scheduler_host.h"

namespace pinka::sim {

class People {
 public:
  People(EventHeap& heap, Chance& chance, Network& network, SchedulerHost& scheduler,
         const FakeStore& store)
      : heap_(heap), chance_(chance), network_(network), scheduler_(scheduler), store_(store) {}

  // Asks until answered; `then` hears the first answer.
  void Ask(Command command, std::function<void(const Reply&)> then = {});
  // Something that somebody of the lab wants now.
  void WantSomething();
  // Deposits, releases and resumes so that all work can end.
  void Unblock();
  bool satisfied() const { return open_ == 0; }

  // What was acknowledged and is not so.
  std::vector<std::string> BrokenPromises() const;

 private:
  struct Promise {
    std::string key;
    MemberId member;
    bool answered = false;
    Reply reply;
  };
  void Try(size_t promise, const Command& command, std::function<void(const Reply&)> then);
  void Hear(size_t promise, const Outcome& outcome, const std::function<void(const Reply&)>& then);
  Actor Admin() const { return {AnyAdmin(), true}; }
  MemberId AnyAdmin() const;
  MemberId AnyMember();
  std::string NewKey() { return "request " + std::to_string(promises_.size()); }
  void Submit();
  void ChangeSome(JobVerb verb);
  void PayIn(int64_t yuan);

  EventHeap& heap_;
  Chance& chance_;
  Network& network_;
  SchedulerHost& scheduler_;
  const FakeStore& store_;
  std::vector<Promise> promises_;
  int open_ = 0;
  std::map<JobId, MemberId> jobs_;         // acknowledged
  std::map<std::string, Money> deposits_;  // acknowledged, by request id
  std::vector<std::string> broken_;
};

}  // namespace pinka::sim
