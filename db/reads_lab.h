// People, machines and prices as the database has them, and who a token belongs to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

struct TokenOwner {
  MemberId member;
  std::string name;
  bool admin = false;
  bool removed = false;  // the member has left
  bool revoked = false;
};

// The node whose agent has a key.
struct KeyOwner {
  std::string node;
  TierId tier;
  bool removed = false;
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
// None: no node has or had this key. A removed one comes back and says so.
StatusOr<std::optional<KeyOwner>> NodeByKey(ReadPool& pool, const std::string& hash);
StatusOr<std::vector<MemberRow>> ListMembers(ReadPool& pool);  // by name, those who left last
StatusOr<std::vector<ProjectRow>> ListProjects(ReadPool& pool);
StatusOr<std::vector<NodeLine>> ListNodes(ReadPool& pool);  // not removed, by name
StatusOr<std::vector<TierRateLine>> TierRates(ReadPool& pool, Timestamp at);  // in force at `at`
// The number of the last batch: reads that follow see at least it.
StatusOr<int64_t> LastBatch(ReadPool& pool);

}  // namespace pinka::db
