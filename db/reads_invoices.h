// Providers' bills as people see them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

struct InvoiceLine {
  InvoiceRow row;
  Money unknown;  // not explained yet
  int64_t unknown_lines = 0;
};
// The newest first.
StatusOr<std::vector<InvoiceLine>> ListInvoices(ReadPool& pool);

struct Invoice {
  InvoiceLine head;
  std::vector<InvoiceLineRow> lines;
  std::map<AccountKind, Money> explained;  // of what was unknown, by account
};
// Nothing where there is none.
StatusOr<std::optional<Invoice>> ReadInvoice(ReadPool& pool, InvoiceId id);

}  // namespace pinka::db
