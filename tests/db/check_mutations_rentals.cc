#include "tests/db/check_mutations.h"

namespace pinka::testing {

std::vector<Mutation> RentalMutations() {
  const std::string shut = "closed_at IS NOT NULL AND by_hand";
  const std::string open = "closed_at IS NULL AND posted_at IS NOT NULL";
  const std::string idle =
      "kind = 'rental' AND credit IN (SELECT id FROM accounts WHERE kind = 'idle')";
  const std::string egress =
      "kind = 'rental' AND credit IN (SELECT id FROM accounts WHERE kind = 'egress')";
  const std::string used = "kind = 'charge' AND rental IS NOT NULL";
  std::vector<Mutation> rows = {
      {"rentals", "id", open, "id + 5000"},
      {"rentals", "node", open, "(SELECT max(id) FROM nodes WHERE id <> node)"},
      {"rentals", "tier", open, "tier + 1"},
      {"rentals", "source", open, "'spot'"},
      {"rentals", "provider", open, "'another'"},
      {"rentals", "units", open, "units + 1"},
      {"rentals", "rounding", open, "CASE rounding WHEN 'up' THEN 'half_away' ELSE 'up' END"},
      {"rentals", "round_at", open, "CASE round_at WHEN 'bill' THEN 'segment' ELSE 'bill' END"},
      {"rentals", "disk_gb", shut, "disk_gb + 1"},
      {"rentals", "opened_at", open, "opened_at - interval '1 second'"},
      {"rentals", "closed_at", open, "posted_at - interval '1 second'"},
      {"rentals", "closed_at", shut, "closed_at + interval '1 second'"},
      {"rentals", "posted_at", open, "posted_at + interval '1 second'"},
      {"rentals", "stopped", "stopped", "false"},
      {"rentals", "stopped", open, "true"},
      {"rentals", "egress_bytes", "egress_bytes > 0", "egress_bytes + 1000000000"},
      {"rentals", "egress_bytes", open, "1000000000"},
      {"rentals", "egress_cost", open, "1"},
      {"transfers", "amount", egress, "amount + 1"},
      {"transfers", "rental", egress, "rental + 1"},
      {"transfers", "amount", idle, "amount + 1"},
      {"transfers", "rental", idle, "NULL"},
      {"transfers", "rental", used, "NULL"},
      {"transfers", "node", idle, "node + 1"},
      {"transfers", "tier", idle, "tier + 1"},
      {"transfers", "source", idle, "'spot'"},
      {"transfers", "member", idle, "(SELECT min(id) FROM members)"},
      {"transfers", "payer_id", idle, "1"},
      {"transfers", "person", idle, "(SELECT min(id) FROM members)"},
      {"transfers", "unit_ms", idle, "1"},
      {"transfers", "kind", idle, "'overhead'"},
      {"transfers", "credit", idle, "(SELECT id FROM accounts WHERE kind = 'variance')"},
  };
  for (const char* column :
       {"rate",          "stopped_rate", "minimum_us",   "block_us",  "round_to", "cut_us",
        "cut_offset_us", "disk_rate",    "egress",       "notice_us", "billed",   "members",
        "lab",           "idle",         "rounded",      "disk",      "variance", "used_ms",
        "since_members", "since_lab",    "since_used_ms"}) {
    rows.push_back({"rentals", column, open, std::string(column) + " + 1"});
  }
  return rows;
}

}  // namespace pinka::testing
