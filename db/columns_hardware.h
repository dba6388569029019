// The columns of what nodes' hardware was found to be, in the order of their queries.
#pragma once

#include "db/bind.h"

namespace pinka::db {

template <class Binder, RowOf<HardwareRow> R>
void Bind(Binder& b, R& row) {
  b(row.node);
  b(row.check);
  b(row.verdict);
  b(row.finding);
  b(row.waits);
  b(row.accepted);
  b(row.demanded);
  b(row.answered);
}

template <class Binder, RowOf<HardwareCheckRow> R>
void Bind(Binder& b, R& row) {
  b(row.node);
  b(row.check);
  b(row.at);
  b(row.verdict);
  b(row.why);
  b(row.cause);
  b(row.demand);
  b(row.evidence);
}

}  // namespace pinka::db
