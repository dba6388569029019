#include "db/reads_packages.h"

#include "db/columns_ledger.h"

namespace pinka::db {

struct PaidIn {
  MemberId member;
  Money amount;
};

template <class Binder, RowOf<PackageLine> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.tier);
  b(row.payer);
}

template <class Binder, RowOf<PortionLine> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.owner);
  b(row.posted_ms);
  b(row.held_ms);
  b(row.used_ms);
  b(row.holding_ms);
  b(row.lent_ms);
  b(row.lending_ms);
  b(row.spent);
}

template <class Binder, RowOf<PaidIn> R>
void Bind(Binder& b, R& row) {
  b(row.member);
  b(row.amount);
}

StatusOr<Packages> ReadPackages(ReadPool& pool, PackageId one, bool closed_too) {
  Params params;
  params.Int(one.value()).Bool(closed_too);
  auto packages = pool.Rows<PackageLine>("list_packages", params);
  if (!packages.ok()) return packages.status();
  Params same;
  same.Int(one.value()).Bool(closed_too);
  auto portions = pool.Rows<PortionLine>("list_portions", same);
  if (!portions.ok()) return portions.status();
  return Packages{*std::move(packages), *std::move(portions)};
}

StatusOr<std::map<MemberId, Money>> ReadPaidIn(ReadPool& pool) {
  auto rows = pool.Rows<PaidIn>("paid_in_balances");
  if (!rows.ok()) return rows.status();
  std::map<MemberId, Money> by_member;
  for (const PaidIn& row : *rows) by_member[row.member] = row.amount;
  return by_member;
}

}  // namespace pinka::db
