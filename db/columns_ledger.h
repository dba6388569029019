// The columns of the books and the limits, in the order of their queries.
#pragma once

#include "db/bind.h"
#include "scheduler/core/changes.h"

namespace pinka::db {

template <class Binder, RowOf<AccountRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.kind);
  b(row.owner);
  b(row.asset);
}

template <class Binder, RowOf<LotRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.account);
  b(row.asset);
  b(row.owner);
  b.Maybe(row.tier);
  b(row.starts_at);
  b(row.ends_at);
  b(row.credited);
  b(row.posted);
  b(row.held);
  b(row.credit_limit);
  b(row.lapsed);
  b.Maybe(row.payer);
}

template <class Binder, RowOf<LotMove> R>
void Bind(Binder& b, R& row) {
  b(row.lot);
  b(row.credited);
  b(row.posted);
  b(row.held);
  b(row.guarded);
}

template <class Binder, RowOf<PackageRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.tier);
  b(row.kind);
  b(row.provider);
  b.Maybe(row.payer);
  b(row.price);
  b(row.total_ms);
  b(row.units);
  b(row.bought_at);
  b(row.starts_at);
  b(row.ends_at);
  b(row.split);
  b(row.borrow);
  b(row.borrow_ms);
  b(row.lapse_to);
  b(row.inventory);
  b(row.used_ms);
  b(row.moved);
  b(row.lapsed);
  b.Maybe(row.closed_at);
}

template <class Binder, RowOf<PortionRow> R>
void Bind(Binder& b, R& row) {
  b(row.package);
  b(row.member);
  b(row.share);
  b(row.total_ms);
  b(row.cost);
  b(row.lot);
  b(row.borrowed_ms);
  b(row.borrowing_ms);
  b(row.lapsed_ms);
  b(row.lapsed);
}

template <class Binder, RowOf<MonthRow> R>
void Bind(Binder& b, R& row) {
  b(row.start_at);
  b(row.end_at);
  b(row.closed_at);
  b(row.forced);
  b.Maybe(row.by);
  b.Maybe(row.settled_at);
  b(row.spread);
  b.Maybe(row.settled_by);
}

template <class Binder, RowOf<PositionRow> R>
void Bind(Binder& b, R& row) {
  b(row.month);
  b(row.member);
  b(row.paid);
  b(row.settled);
  b(row.spent);
  b(row.overhead);
  b(row.lapsed);
  b(row.carried);
  b(row.position);
}

template <class Binder, RowOf<PaymentRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.month);
  b(row.from);
  b(row.to);
  b(row.amount);
  b(row.state);
  b(row.proposed_at);
  b.Maybe(row.paid_at);
  b(row.ref);
  b.Maybe(row.transfer);
}

template <class Binder, RowOf<HoldRow> R>
void Bind(Binder& b, R& row) {
  b(row.attempt);
  b(row.asset);
  b(row.amount);
  b(row.posted);
  b(row.state);
  b(row.at);
  b.Maybe(row.closed_at);
  b(row.reason);
}

template <class Binder, RowOf<HoldLineRow> R>
void Bind(Binder& b, R& row) {
  b(row.attempt);
  b(row.n);
  b(row.lot);
  b(row.amount);
  b(row.posted);
}

template <class Binder, RowOf<HoldCutRow> R>
void Bind(Binder& b, R& row) {
  b(row.attempt);
  b(row.n);
  b(row.at);
  b(row.amount);
}

template <class Binder, RowOf<SettlementRow> R>
void Bind(Binder& b, R& row) {
  b(row.attempt);
  b(row.at);
  b(row.charged);
  b(row.lab);
  b(row.metered_ms);
  b(row.hash);
  b(row.payer);
}

template <class Binder, RowOf<TransferRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.at);
  b(row.asset);
  b(row.debit);
  b(row.credit);
  b(row.amount);
  b(row.kind);
  b(row.reason);
  b.Maybe(row.person);
  b(row.request_id);
  b.Maybe(row.member);
  b.Maybe(row.project);
  b.Maybe(row.attempt);
  b.Maybe(row.tier);
  b(row.source);
  b.Maybe(row.node);
  b(row.payer);
  b(row.unit_ms);
  b.Maybe(row.linked);
  b.Maybe(row.rental);
  b.Maybe(row.invoice);
}

template <class Binder, RowOf<AmendedRow> R>
void Bind(Binder& b, R& row) {
  b(row.entry);
  b(row.change);
}

template <class Binder, RowOf<LimitRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.resource);
  b(row.of);
  b(row.scope);
  b.Maybe(row.member);
  b.Maybe(row.tier);
  b(row.period);
  b(row.unlimited);
  b(row.amount);
  b.Maybe(row.until);
  b(row.absent);
  b.Maybe(row.starts_at);
  b(row.notify_at);
  b(row.block_at);
}

template <class Binder, RowOf<ThresholdRow> R>
void Bind(Binder& b, R& row) {
  b(row.limit);
  b(row.member);
  b(row.percent);
  b(row.start_at);
  b(row.at);
}

template <class Binder, RowOf<PayerRow> R>
void Bind(Binder& b, R& row) {
  b(row.reason);
  b(row.payer);
}

template <class Binder, RowOf<SpendRow> R>
void Bind(Binder& b, R& row) {
  b(row.member);
  b(row.project);
  b(row.tier);
  b(row.period);
  b(row.start_at);
  b(row.charged);
  b(row.unit_ms);
}

template <class Binder, RowOf<UsageRow> R>
void Bind(Binder& b, R& row) {
  b(row.member);
  b.Decimal(row.amount);
  b(row.project);
}

}  // namespace pinka::db
