#include "db/reads_ledger.h"

#include "db/columns_ledger.h"

namespace pinka::db {

template <class Binder, RowOf<LotBalance> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.owner);
  b(row.tier);
}

template <class Binder, RowOf<OpenHold> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.member);
  b(row.units);
  b(row.rate);
  b(row.metered_ms);
  b(row.overrun_ms);
}

template <class Binder, RowOf<Entry> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.debit_kind);
  b(row.debit_owner);
  b(row.credit_kind);
  b(row.credit_owner);
  b(row.member);
  b(row.project);
  b(row.tier);
  b(row.node);
  b(row.person);
}

template <class Binder, RowOf<NamedEntry> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b.Maybe(row.lot);
  b.Maybe(row.lot_tier);
  b(row.open);
  b.Maybe(row.lot_payer);
}

template <class Binder, RowOf<LimitLine> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.scope);
  b(row.member);
  b(row.tier);
}

template <class Binder, RowOf<Settled> R>
void Bind(Binder& b, R& row) {
  b(row.member);
  b(row.name);
  b(row.amount);
}

StatusOr<Balances> ReadBalances(ReadPool& pool) {
  auto lots = pool.Rows<LotBalance>("list_lots");
  auto holds = pool.Rows<OpenHold>("list_open_holds");
  auto lines = pool.Rows<HoldLineRow>("load_hold_lines");
  for (const Status& status : {lots.status(), holds.status(), lines.status()}) {
    if (!status.ok()) return status;
  }
  return Balances{*std::move(lots), *std::move(holds), *std::move(lines)};
}

StatusOr<std::vector<Entry>> ListEntries(ReadPool& pool, const EntryFilter& filter) {
  Params params;
  params.Int(filter.after.value()).Int(filter.job.value()).Int(filter.member.value());
  if (filter.account) {
    params.Text(Name(filter.account->kind)).Int(filter.account->id);
  } else {
    params.MaybeText(std::nullopt).Int(0);
  }
  params.Int32(filter.limit);
  return pool.Rows<Entry>("list_entries", params, ReadPool::Plan::kAnew);
}

StatusOr<std::vector<NamedEntry>> EntryNamed(ReadPool& pool, TransferId id) {
  return pool.Rows<NamedEntry>("named_entries", Params().Int(id.value()).Int(0).Int32(0).Int32(0));
}

StatusOr<std::vector<NamedEntry>> ChargesOf(ReadPool& pool, const AttemptId& attempt) {
  Params params;
  params.Int(0).Int(attempt.job.value()).Int32(attempt.index).Int32(attempt.number);
  return pool.Rows<NamedEntry>("named_entries", params);
}

StatusOr<std::vector<HoldRow>> HoldsOfJob(ReadPool& pool, JobId job) {
  Params params;
  params.Int(job.value());
  return pool.Rows<HoldRow>("holds_of_job", params);
}

StatusOr<std::vector<LimitLine>> ListLimits(ReadPool& pool) {
  return pool.Rows<LimitLine>("list_limits");
}

StatusOr<std::vector<SpendRow>> SpendAt(ReadPool& pool, Timestamp at) {
  Params params;
  params.At(at);
  return pool.Rows<SpendRow>("spend_at", params);
}

StatusOr<std::vector<Settled>> SettledByMember(ReadPool& pool) {
  return pool.Rows<Settled>("settled_by_member");
}

}  // namespace pinka::db
