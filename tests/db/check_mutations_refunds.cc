#include "tests/db/check_mutations.h"

namespace pinka::testing {
namespace {

// Hours that were given back, and what they had cost.
std::vector<Mutation> OfHoursBack() {
  const std::string back =
      "kind = 'refund' AND asset <> 1 AND credit IN (SELECT account FROM lots)";
  const std::string late =
      "kind = 'refund' AND asset <> 1 AND credit NOT IN (SELECT account FROM lots)";
  const std::string cost = "kind = 'refund' AND credit IN (SELECT inventory FROM packages)";
  const std::string money =
      "kind = 'refund' AND asset = 1 AND credit IN"
      " (SELECT id FROM accounts WHERE kind = 'overhead_other')";
  std::vector<Mutation> rows = {
      {"transfers", "amount", late, "1000000000"},
      {"transfers", "credit", back,
       "(SELECT max(o.account) FROM lots o WHERE o.asset = transfers.asset AND o.account <> "
       "credit)"},
      {"transfers", "credit", late,
       "(SELECT max(o.account) FROM lots o WHERE o.asset = transfers.asset)"},
      {"transfers", "credit", cost,
       "(SELECT id FROM accounts WHERE kind = 'overhead_other' AND asset = 1)"},
      {"transfers", "credit", money, "(SELECT max(inventory) FROM packages)"},
      {"transfers", "kind", cost, "'reversal'"},
  };
  for (const std::string& where : {back, late, cost, money}) {
    rows.push_back({"transfers", "linked", where, "linked - 1"});
    rows.push_back({"transfers", "request_id", where, "'another'"});
    rows.push_back({"transfers", "member", where, "(SELECT max(id) FROM members)"});
    rows.push_back({"transfers", "job", where, "1"});
    rows.push_back({"transfers", "unit_ms", where, "1"});
    rows.push_back({"transfers", "amount", where, "amount + 1"});
  }
  return rows;
}

std::vector<Mutation> OfPayers() {
  const std::string paid_in = "IN (SELECT id FROM accounts WHERE kind = 'paid_in')";
  return {
      {"lots", "payer", "payer IS NOT NULL", "NULL"},
      {"lots", "payer", "payer IS NULL AND asset = 1", "(SELECT min(id) FROM members)"},
      {"lots", "payer",
       "payer IS NOT NULL AND account IN (SELECT credit FROM transfers WHERE kind = 'transfer')",
       "(SELECT min(id) FROM members)"},
      {"transfers", "credit", "kind = 'withdraw' AND credit " + paid_in,
       "(SELECT id FROM accounts WHERE kind = 'external' AND asset = 1)"},
      {"transfers", "credit", "kind = 'withdraw' AND credit NOT " + paid_in,
       "(SELECT min(id) FROM accounts WHERE kind = 'paid_in')"},
      {"limits", "block_at", "resource = 'money' AND period = 'month'", "1"},
  };
}

}  // namespace

std::vector<Mutation> RefundMutations() {
  std::vector<Mutation> rows = OfHoursBack();
  for (const Mutation& row : OfPayers()) rows.push_back(row);
  return rows;
}

}  // namespace pinka::testing
