// Who stands where, for people: the tree of shares, and the parts of every waiting job's priority.
// The scheduler's own numbers, nothing of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "scheduler/core/fair_share.h"
#include "scheduler/core/state.h"

namespace pinka {

// One line of the tree. With two levels a project's line comes before those of its members.
struct ShareLine {
  ProjectId project;    // none: work without a project, or one level
  MemberId member;      // none: the project itself
  std::string name;     // of the member or project; "" for work without a project
  int64_t share = 0;    // 0: no share, runs when nobody else can
  int64_t shares = 0;   // of it and its siblings
  int64_t use_ms = 0;   // weighted unit-milliseconds, decayed to now
  int64_t uses_ms = 0;  // of it and its siblings
  int64_t level = -1;   // LF in thousandths; -1: nothing used
  uint64_t fair = 0;    // Q62, of members with a share
};
struct ShareList {
  bool by_project = false;
  std::vector<ShareLine> lines;  // siblings by id
};
ShareList ListShares(const State& state);

struct PriorityLine {
  JobId job;
  std::string user;
  std::string tier;
  int32_t units = 0;
  int32_t position = 0;    // in its tier, 1 = next
  bool has_share = false;  // else it stands behind all that have one
  Priority parts;
};
struct PriorityQuery {
  std::set<JobId> ids;  // empty: every waiting job
  MemberId owner;       // none: everybody's
  TierId tier;          // none: all
  size_t most = 1'000;
};
struct PriorityList {
  std::vector<PriorityLine> lines;  // tier by tier, best first
  bool more = false;
};
PriorityList ListPriorities(const State& state, const PriorityQuery& query);

}  // namespace pinka
