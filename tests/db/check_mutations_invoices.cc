#include "tests/db/check_mutations.h"

namespace pinka::testing {

// Bills: what their lines cover, what was booked and what was explained.
std::vector<Mutation> InvoiceMutations() {
  const std::string booked = "amount <> charges + idle + rounding + disk + egress + variance";
  const std::string entry = "kind = 'invoice'";
  const std::string of_rental = "kind = 'invoice' AND rental IS NOT NULL";
  const std::string bobs = "kind = 'explain' AND member IS NOT NULL";
  const auto of_account = [](const std::string& side, const std::string& kind) {
    return " AND " + side + " IN (SELECT id FROM accounts WHERE kind = '" + kind + "')";
  };
  const auto one_of = [](const std::string& kind) {
    return "(SELECT max(id) FROM accounts WHERE kind = '" + kind + "')";
  };
  std::vector<Mutation> rows = {
      {"invoices", "id", "true", "id + 5000"},
      {"invoices", "total", "true", "total + 1"},
      {"invoices", "charges", "charges > 0", "charges - 1"},
      {"invoices", "starts_at", "true", "starts_at - interval '1 second'"},
      {"invoices", "ends_at", "true", "ends_at + interval '1 second'"},
      {"invoices", "at", "true", "at - interval '1 hour'"},
      {"invoices", "booked_at", "true", "booked_at - interval '1 second'"},
      {"invoices", "by", "true", "NULL"},
      {"invoice_lines", "invoice", booked, "invoice + 5000"},
      {"invoice_lines", "n", booked, "n + 70"},
      {"invoice_lines", "kind", "kind = 'egress'", "'disk'"},
      {"invoice_lines", "instance", "kind = 'egress'", "'i-9'"},
      {"invoice_lines", "text", booked, "'another'"},
      {"invoice_lines", "amount", "true", "amount + 1"},
      {"invoice_lines", "rental", booked + " AND rental IS NOT NULL", "rental + 1"},
      {"invoice_lines", "unknown", "unknown <> 0", "unknown - 1"},
      {"invoice_lines", "unknown", "kind = 'other'", "-1"},
      {"transfers", "amount", entry, "amount + 1"},
      {"transfers", "at", entry, "at - interval '1 second'"},
      {"transfers", "debit", entry + of_account("debit", "external"), one_of("voucher")},
      {"transfers", "credit", entry + of_account("credit", "unknown"), one_of("disk")},
      {"transfers", "person", entry, "NULL"},
      {"transfers", "request_id", entry, "'another'"},
      {"transfers", "reason", entry, "'line 99: ' || reason"},
      {"transfers", "invoice", entry, "NULL"},
      {"transfers", "payer_kind", entry, "'project'"},
      {"transfers", "unit_ms", entry, "1"},
      {"transfers", "rental", of_rental, "rental + 1"},
      {"transfers", "node", of_rental, "NULL"},
      {"transfers", "tier", of_rental, "NULL"},
      {"transfers", "at", bobs, "at - interval '1 day'"},
      {"transfers", "amount", bobs, "amount - 1"},
      {"transfers", "credit", bobs,
       "(SELECT max(id) FROM accounts WHERE kind = 'spent' AND asset = 1 AND id <> credit)"},
      {"transfers", "member", bobs, "member + 1"},
      {"transfers", "payer_id", bobs, "payer_id + 1"},
      {"transfers", "invoice", bobs, "NULL"},
      {"transfers", "reason", bobs, "'a line'"},
      {"transfers", "request_id", bobs, "'another'"},
      {"transfers", "person", bobs, "NULL"},
      {"transfers", "unit_ms", bobs, "1"},
      {"accounts", "kind", "kind = 'unknown'", "'idle'"},
      {"accounts", "owner_kind", "kind = 'voucher'", "'project'"},
  };
  for (const char* column : {"charges", "idle", "rounding", "disk", "variance", "egress"})
    rows.push_back({"invoice_lines", column, booked, std::string(column) + " + 1"});
  return rows;
}

}  // namespace pinka::testing
