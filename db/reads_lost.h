// What machines took with them: work since the last valid checkpoint (semantics.md 8 and 10).
#pragma once

#include <string>
#include <vector>

#include "db/pool.h"

namespace pinka::db {

struct LostQuery {
  std::string by = "member";  // provider, node, tier, source, job
  MemberId member = {};       // one member's attempts only; none: everybody's
  Timestamp from = {};        // [from, to), of the attempts' ends
  Timestamp to = Timestamp::Never();
  std::vector<std::string> end_reasons = {};
};

struct LostLine {
  std::string key;  // "": a node without a rental has no provider
  int64_t attempts = 0;
  int64_t lost_ms = 0;
  Money amount;  // what that time cost, whoever paid
  int64_t unsaved = 0;
  int64_t reclaims = 0;
};

// By key, jobs by number.
StatusOr<std::vector<LostLine>> ReadLostWork(ReadPool& pool, const LostQuery& query);

}  // namespace pinka::db
