#include "db/reads_pool.h"

namespace pinka::db {

template <class Binder, RowOf<PoolLine> R>
void Bind(Binder& b, R& row) {
  b(row.tier);
  b(row.paid);
  b(row.used);
  b(row.wasted);
  b(row.idle);
  b(row.rest);
  b(row.unit_ms);
}

StatusOr<std::vector<PoolLine>> ReadPoolReport(ReadPool& pool, Timestamp from, Timestamp to) {
  Params params;
  params.At(from).At(to);
  return pool.Rows<PoolLine>("pool_report", params, ReadPool::Plan::kAnew);
}

}  // namespace pinka::db
