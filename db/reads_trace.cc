#include "db/reads_trace.h"

namespace pinka::db {

template <class Binder, RowOf<TraceTask> R>
void Bind(Binder& b, R& row) {
  b(row.waits_from);
  b(row.run);
  b(row.gpus);
  b(row.member);
  b(row.tier);
  b(row.state);
  b.Maybe(row.deadline);
  b(row.time_limit);
}

StatusOr<std::vector<TraceTask>> ReadTrace(ReadPool& pool) {
  return pool.Rows<TraceTask>("trace_tasks", {}, ReadPool::Plan::kAnew);
}

}  // namespace pinka::db
