#include "db/reads_lab.h"

#include "db/columns_lab.h"

namespace pinka::db {

template <class Binder, RowOf<TokenOwner> R>
void Bind(Binder& b, R& row) {
  b(row.member);
  b(row.name);
  b(row.admin);
  b(row.removed);
  b(row.revoked);
}

template <class Binder, RowOf<KeyOwner> R>
void Bind(Binder& b, R& row) {
  b(row.node);
  b(row.tier);
  b(row.removed);
}

template <class Binder, RowOf<NodeLine> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.tier);
  b(row.units_used);
  b(row.gpus_used);
  b(row.running);
}

template <class Binder, RowOf<TierRateLine> R>
void Bind(Binder& b, R& row) {
  b(row.tier);
  b(row.name);
  b(row.source);
  b(row.rate);
}

namespace {

// The row that a hash names.
template <class R>
StatusOr<std::optional<R>> ByHash(ReadPool& pool, const char* query, const std::string& hash) {
  Params params;
  params.Text(hash);
  auto rows = pool.Rows<R>(query, params);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  return std::move(rows->front());
}

}  // namespace

StatusOr<std::optional<TokenOwner>> TokenByHash(ReadPool& pool, const std::string& hash) {
  return ByHash<TokenOwner>(pool, "token_by_hash", hash);
}

StatusOr<std::optional<KeyOwner>> NodeByKey(ReadPool& pool, const std::string& hash) {
  return ByHash<KeyOwner>(pool, "node_by_key", hash);
}

StatusOr<std::vector<MemberRow>> ListMembers(ReadPool& pool) {
  return pool.Rows<MemberRow>("list_members");
}

StatusOr<std::vector<ProjectRow>> ListProjects(ReadPool& pool) {
  return pool.Rows<ProjectRow>("load_projects");
}

StatusOr<std::vector<NodeLine>> ListNodes(ReadPool& pool) {
  return pool.Rows<NodeLine>("list_nodes");
}

StatusOr<std::vector<TierRateLine>> TierRates(ReadPool& pool, Timestamp at) {
  Params params;
  params.At(at);
  return pool.Rows<TierRateLine>("tier_rates", params);
}

StatusOr<int64_t> LastBatch(ReadPool& pool) {
  StatusOr<Result> result = pool.Exec("last_batch");
  if (!result.ok()) return result.status();
  Row row(*result);
  return row.Next() ? row.Int() : 0;
}

}  // namespace pinka::db
