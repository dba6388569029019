// A trace played through the production core on a virtual clock, from event to event. What people
// and machines do comes from the trace and from lean_nodes.h; who starts when, who pays and what is
// held is core's alone, and what is counted here is read from the rows and entries that core
// writes.
//
//   Replay replay(input);
//   while (replay.Step()) ...;          // one instant
//   const ReplayResult& result = replay.result();
//
// Same input, same result, to the byte.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/core/core.h"
#include "scheduler/sim/lean_nodes.h"
#include "scheduler/sim/spot.h"

namespace pinka::sim {

struct NodeGroup {
  std::string tier;
  int32_t nodes = 0;
  int32_t units = 0;  // of each
  Source source = Source::kOnDemand;
};

struct ReplayJob {
  Duration submit;    // since the start
  Duration work;      // run time that it needs
  Duration limit;     // what it asks for
  int32_t units = 1;  // cards, or units of a tier without cards
  std::string user;
  std::vector<std::string> tiers;  // either; none: there is no such tier, or it has no machine
  bool failed = false;
  Duration deadline;  // since the start; zero: none
};

struct ReplayInput {
  Timestamp start;
  std::string zone = "UTC";
  std::vector<PeriodRow> calendar;
  LabChange lab;  // members of the trace included
  std::vector<NodeGroup> nodes;
  std::vector<ReplayJob> jobs;  // by submit
  // Bought at the start. Actor and tier are filled in; without shares all have equal ones.
  std::vector<BuyPackage> packages;
  std::vector<std::string> package_tiers;  // of each
  Money weekly_price;                      // of the owned machines among `nodes`, a week
  // One machine of `spot_units` for each that is ever up in the file.
  SpotFile spot;
  std::string spot_tier;
  int32_t spot_units = 0;
  Policy policy;
  Money pot;  // paid into a lot of the whole lab
  Duration checkpoint_every = Duration::Minutes(30);
  Duration restart;  // run time until a task that goes on is where its checkpoint was
  Duration pass =
      Duration::Minutes(1);  // how often core is asked who may start, if nothing else is
  // What each batch would commit, for who keeps books of his own.
  std::function<void(const Core&, const Changes&)> on_batch = [](const Core&, const Changes&) {};
};

struct JobResult {
  MemberId member;
  TierId tier;  // that it was submitted to
  JobId id;     // none: refused
  int32_t units = 0;
  Timestamp submitted_at;
  Timestamp started_at;  // its first attempt
  Timestamp ended_at;
  Duration done;    // run time that need not be done again
  Duration served;  // run time in all
  Timestamp deadline;
  TaskState state = TaskState::kPending;
  Reason refused = Reason::kOk;
};

struct Capacity {
  Timestamp at;
  TierId tier;
  int32_t units = 0;  // more, or less
};

struct ReplayResult {
  Timestamp start;
  Timestamp end;  // of the last run
  std::vector<JobResult> jobs;
  std::vector<Run> runs;
  std::vector<Capacity> capacity;
  std::map<Source, Money> spent;  // members', from the entries
  Money overhead;                 // the lab's
  Money idle;                     // what machines with a billing rule cost beside the work on them
  int64_t events = 0;             // submits, starts, ends, reclaims, passes
  std::map<std::string, int64_t> refused;                       // by reason
  std::map<MemberId, std::pair<std::string, int64_t>> members;  // name, share
  std::map<TierId, std::string> tiers;
  std::string digest;  // of core at the end
};

class Replay {
 public:
  explicit Replay(const ReplayInput& input);
  ~Replay();
  // Everything of the next instant; false where nothing is left to do.
  bool Step();
  // Jobs that have come to an end or were refused.
  int64_t over() const;
  // After the last step.
  ReplayResult Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// All of it.
ReplayResult RunReplay(const ReplayInput& input);

}  // namespace pinka::sim
