// The columns of billing rules and rentals, in the order of their queries.
#pragma once

#include "db/bind.h"

namespace pinka::db {

template <class Binder, RowOf<BillingRule> R>
void Bind(Binder& b, R& rule) {
  b(rule.rate);
  b(rule.stopped_rate);
  b(rule.minimum);
  b(rule.block);
  b(rule.rounding);
  b(rule.round_at);
  b(rule.round_to);
  b(rule.cut);
  b(rule.cut_offset);
  b(rule.disk);
  b(rule.egress);
  b(rule.notice);
}

template <class Binder, RowOf<BillingRow> R>
void Bind(Binder& b, R& row) {
  b(row.tier);
  b(row.source);
  b(row.valid_from);
  b(row.provider);
  Bind(b, row.rule);
}

template <class Binder, RowOf<RentalRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.node);
  b(row.tier);
  b(row.source);
  b(row.provider);
  b(row.instance);
  b(row.units);
  Bind(b, row.rule);
  b(row.disk_gb);
  b(row.opened_at);
  b.Maybe(row.closed_at);
  b(row.by_hand);
  b.Maybe(row.posted_at);
  b(row.billed);
  b(row.members);
  b(row.lab);
  b(row.idle);
  b(row.rounding);
  b(row.disk);
  b(row.variance);
  b(row.used_ms);
  b(row.since_members);
  b(row.since_lab);
  b(row.since_used_ms);
  b(row.stopped);
  b(row.egress_bytes);
  b(row.egress);
}

}  // namespace pinka::db
