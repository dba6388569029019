// Who used what (semantics.md 10): sums over the transfers of a window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"

namespace pinka::db {

enum class UsageBy : int8_t { kMember, kProject, kTier, kSource, kNode, kDay, kMonth, kJob };
// "member", …; nothing for a word that is none of them.
std::optional<UsageBy> UsageByFromName(std::string_view name);
std::string_view Name(UsageBy by);

struct UsageQuery {
  UsageBy by = UsageBy::kMember;
  MemberId member = {};  // one member's charges only, without the lab's row; none: everybody
  Timestamp from = {};   // [from, to)
  Timestamp to = Timestamp::Never();
  JobId job = {};            // filters; none or "": all
  std::string project = {};  // names, also of what is no longer there
  std::string tier = {};
  std::string source = {};
  std::string node = {};
};

struct UsageLine {
  std::string key;     // a name, "2026-11-30", "2026-11" (in the lab's zone), a job id; "" for none
  bool lab = false;    // what the lab paid: overhead
  bool whole = false;  // the line over everything
  int64_t unit_ms = 0;
  int64_t wall_ms = 0;  // not multiplied by units
  Money amount;         // charges less what was taken back
  int64_t jobs = 0;     // distinct
  int64_t attempts = 0;
  Duration median_wait;  // of those jobs, submit to first start
  Money wasted;          // of the amount: attempts that failed or were lost
};

// `lines` are sorted by key (jobs by number), the lab's last; they are all that was posted and sum
// to `total`, the lab included. A job counts in each line that it has entries in, so the lines'
// jobs may sum to more than all jobs.
struct UsageReport {
  std::vector<UsageLine> lines;
  UsageLine total;
};
StatusOr<UsageReport> ReadUsage(ReadPool& pool, const UsageQuery& query);

// How much of a tier was used in one hour; hours without use have no line.
struct HourLine {
  TierId tier;
  Timestamp hour;
  int64_t unit_ms = 0;
  int64_t checkpointed_ms = 0;  // of it: attempts that wrote checkpoints
};
// Of [from, to), from at a whole hour; none: everybody's. By tier and hour.
StatusOr<std::vector<HourLine>> ReadHourlyUse(ReadPool& pool, Timestamp from, Timestamp to,
                                              MemberId member);

// Whether the names of a query's filters are names of something.
struct UsageNames {
  bool project = true;
  bool tier = true;
  bool node = true;
};
StatusOr<UsageNames> KnownUsageNames(ReadPool& pool, const UsageQuery& query);

}  // namespace pinka::db
