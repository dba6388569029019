#include "db/reads_statement.h"

#include <utility>

namespace pinka::db {

template <class Binder, RowOf<StatementEntry> R>
void Bind(Binder& b, R& row) {
  b(row.section);
  b(row.at);
  b(row.kind);
  b(row.attempt);
  b(row.tier);
  b(row.source);
  b(row.unit_ms);
  b(row.rate);
  b(row.amount);
  b(row.other_kind);
  b(row.other_owner);
  b(row.project);
  b(row.reason);
}

StatusOr<Statement> ReadStatement(ReadPool& pool, MemberId member, Timestamp from, Timestamp to) {
  Params params;
  params.Int(member.value()).At(from).At(to);
  auto rows = pool.Rows<StatementEntry>("statement", params, ReadPool::Plan::kAnew);
  if (!rows.ok()) return rows.status();
  Statement statement;
  statement.opening = rows->front().amount;
  rows->erase(rows->begin());
  statement.entries = *std::move(rows);
  return statement;
}

}  // namespace pinka::db
