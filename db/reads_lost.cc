#include "db/reads_lost.h"

namespace pinka::db {

template <class Binder, RowOf<LostLine> R>
void Bind(Binder& b, R& row) {
  b(row.key);
  b(row.attempts);
  b(row.lost_ms);
  b(row.amount);
  b(row.unsaved);
  b(row.reclaims);
}

StatusOr<std::vector<LostLine>> ReadLostWork(ReadPool& pool, const LostQuery& query) {
  Params params;
  params.Text(query.by)
      .At(query.from)
      .At(query.to)
      .Int(query.member.value())
      .Texts(query.end_reasons);
  return pool.Rows<LostLine>("lost_work", params, ReadPool::Plan::kAnew);
}

}  // namespace pinka::db
