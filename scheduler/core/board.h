// What readers may know of the live state beyond the rows: positions, reasons, expected starts,
// and answers to `why` and `quote`. Computed from State on core's thread, immutable afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/core/command.h"
#include "scheduler/core/rows.h"

namespace pinka {

struct State;

struct Waiting {
  int32_t position = 0;  // of its first waiting task within the tier, 1 = next
  Reason reason = Reason::kPriority;
  std::string text;          // a sentence; none: it waits for those ahead
  Timestamp expected_start;  // as promised, by the limits of what runs; none: not known
};

// An immutable picture, swapped after a commit while somebody asks (design.md 12).
struct Board {
  int64_t batch = 0;
  Timestamp now;
  std::unordered_map<int64_t, Waiting> waiting;  // by JobId value; held jobs too
  struct Tier {
    TierRow row;
    int32_t units = 0, free = 0, pending = 0, running = 0;  // tasks
    bool simulated = false;
    std::vector<std::pair<Source, Rate>> rates;
  };
  std::vector<Tier> tiers;
  struct Node {
    NodeRow row;
    int32_t units_free = 0, gpus_free = 0, running = 0;
  };
  std::vector<Node> nodes;
  std::vector<ProjectRow> projects;  // by id
  std::vector<CardRow> cards;        // not absent, by name
  LabRow lab;
  std::unordered_map<int64_t, std::string> member_names, tier_names, node_names, project_names;
};
std::shared_ptr<const Board> MakeBoard(const State& state, int64_t batch);

// `why`: everything about one waiting job.
struct Explanation {
  Reason reason = Reason::kOk;  // kNoSuchJob where core has none such
  TaskState state = TaskState::kPending;
  std::string text;                                      // sentences for people
  std::vector<std::pair<std::string, int64_t>> factors;  // sum to priority
  int64_t priority = 0;
  int32_t position = 0;
  int64_t unit_ms_ahead = 0;       // asked for by what stands ahead
  std::vector<std::string> ahead;  // "bob: 3 jobs, 12.00 unit-hours", the nearest first
  Timestamp expected_start;        // at the earliest, and at the latest; none: not known
  Timestamp expected_by;
  std::string assumption;    // under which
  std::string would_change;  // what would have to change for it to start; "": only time
};
Explanation Explain(const State& state, JobId job);

// `quote`: what a request would cost and what would refuse it; changes nothing.
struct QuoteAnswer {
  Reason refusal = Reason::kOk;
  std::string detail;
  int32_t units = 0;
  int32_t tasks = 1;
  Priced price;
  Timestamp expected_start;
};
// `proven` as in SubmitJobs.
QuoteAnswer QuoteJob(const State& state, const Actor& actor, const JobRequest& request,
                     TierId proven = {});

// What a member could start now: the least of lots in reach and limits, and which says so.
struct ReachAnswer {
  Money available;
  std::string tightest;
};
ReachAnswer Reach(const State& state, MemberId member);

// Limits that concern a member with what counts against each now.
struct LimitUse {
  LimitRow row;
  int64_t used = 0;
  std::string scope;  // printed
  std::string tier;
  std::string member;            // whose use it is, of an `each` limit
  std::vector<int32_t> crossed;  // thresholds, in the period that goes on
  bool raise = false;            // it stands above another one, which comes back at its end
  bool raise_unlimited = false;
  int64_t raised_from = 0;
};
std::vector<LimitUse> LimitsOf(const State& state, MemberId member);
// Of everybody, for admins; of an `each` limit the use of who has used most.
std::vector<LimitUse> AllLimits(const State& state);

}  // namespace pinka
