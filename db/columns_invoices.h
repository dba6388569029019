// The columns of providers' bills, in the order of their queries.
#pragma once

#include "db/bind.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

template <class Binder, RowOf<InvoiceRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.provider);
  b(row.ref);
  b(row.starts_at);
  b(row.ends_at);
  b.Maybe(row.payer);
  b(row.total);
  b(row.charges);
  b(row.at);
  b.Maybe(row.by);
  b(row.booked_at);
}

template <class Binder, RowOf<InvoiceLineRow> R>
void Bind(Binder& b, R& row) {
  b(row.invoice);
  b(row.n);
  b(row.kind);
  b(row.instance);
  b(row.text);
  b(row.starts_at);
  b(row.ends_at);
  b(row.amount);
  b.Maybe(row.rental);
  b(row.unknown);
  b(row.charges);
  b(row.idle);
  b(row.rounding);
  b(row.disk);
  b(row.variance);
  b(row.egress);
}

template <class Binder, RowOf<CoveredRow> R>
void Bind(Binder& b, R& row) {
  b(row.rental);
  b.Maybe(row.until);
  b.Maybe(row.disk_until);
  b(row.charges);
  b(row.idle);
  b(row.rounding);
  b(row.disk);
  b(row.variance);
  b.Maybe(row.egress_until);
  b(row.egress);
}

}  // namespace pinka::db
