#include "db/reads_invoices.h"

#include "db/columns_invoices.h"

namespace pinka::db {

template <class Binder, RowOf<InvoiceLine> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.unknown);
  b(row.unknown_lines);
}

// One row of invoice_explained.
struct Explained {
  AccountKind kind = AccountKind::kUnknown;
  MemberId member;
  Money amount;
};

template <class Binder, RowOf<Explained> R>
void Bind(Binder& b, R& row) {
  b(row.kind);
  b(row.member);
  b(row.amount);
}

StatusOr<std::vector<InvoiceLine>> ListInvoices(ReadPool& pool) {
  Params all;
  all.Int(0);
  return pool.Rows<InvoiceLine>("list_invoices", all);
}

StatusOr<std::optional<Invoice>> ReadInvoice(ReadPool& pool, InvoiceId id) {
  Params one;
  one.Int(id.value());
  auto heads = pool.Rows<InvoiceLine>("list_invoices", one);
  if (!heads.ok()) return heads.status();
  if (heads->empty()) return std::optional<Invoice>();
  auto lines = pool.Rows<InvoiceLineRow>("list_invoice_lines", one);
  if (!lines.ok()) return lines.status();
  auto explained = pool.Rows<Explained>("invoice_explained", one);
  if (!explained.ok()) return explained.status();
  Invoice invoice{heads->front(), *std::move(lines), {}};
  for (const Explained& row : *explained) invoice.explained[row.kind] += row.amount;
  return std::optional(std::move(invoice));
}

}  // namespace pinka::db
