// People, machines and prices as the database has them, and who a token belongs to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

struct TokenOwner {
  MemberId member;   // none: an agent's
  std::string name;  // of the member
  bool admin = false;
  bool removed = false;  // the member has left
  std::string node;      // the one node name an agent's token is bound to
  TierId tier;
  std::string tier_name;
  bool revoked = false;
};

struct NodeLine {
  NodeRow row;
  std::string tier;
  int32_t units_used = 0;  // by attempts that have not ended
  int32_t gpus_used = 0;
  int32_t running = 0;  // attempts
};

struct TierRateLine {
  TierId tier;
  std::string name;
  Source source = Source::kOnDemand;
  Rate rate;
};

// None: no such token. A revoked one comes back and says so.
StatusOr<std::optional<TokenOwner>> TokenByHash(ReadPool& pool, const std::string& hash);
StatusOr<std::vector<MemberRow>> ListMembers(ReadPool& pool);  // by name, those who left last
StatusOr<std::vector<ProjectRow>> ListProjects(ReadPool& pool);
StatusOr<std::vector<NodeLine>> ListNodes(ReadPool& pool);  // not removed, by name
StatusOr<std::vector<TierRateLine>> TierRates(ReadPool& pool, Timestamp at);  // in force at `at`
// The number of the last batch: reads that follow see at least it.
StatusOr<int64_t> LastBatch(ReadPool& pool);

}  // namespace pinka::db
