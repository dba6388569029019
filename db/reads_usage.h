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

struct UsageQuery {
  UsageBy by = UsageBy::kMember;
  MemberId member = {};  // one member's charges only, without the lab's row; none: everybody
  Timestamp from = {};   // [from, to)
  Timestamp to = Timestamp::Never();
};

struct UsageLine {
  std::string key;   // a name, "2026-11-30", "2026-11" (in the lab's zone), a job id; "" for none
  bool lab = false;  // what the lab paid: overhead
  int64_t unit_ms = 0;
  Money amount;          // charges less reversals
  int64_t jobs = 0;      // distinct
  Duration median_wait;  // of those jobs, submit to first start
  Money wasted;          // of the amount: attempts that failed or were lost
};

// Lines sorted by key (jobs by number), the lab's last; together they are all that was posted. A
// job counts in each line that it has entries in, so the lines' jobs may sum to more than all jobs.
StatusOr<std::vector<UsageLine>> ReadUsage(ReadPool& pool, const UsageQuery& query);
// One line over everything, key "", the lab included; none where nothing was posted.
StatusOr<std::optional<UsageLine>> ReadUsageTotal(ReadPool& pool, const UsageQuery& query);

}  // namespace pinka::db
