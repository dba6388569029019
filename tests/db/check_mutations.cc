#include "tests/db/check_mutations.h"

#include <map>

#include "base/check.h"

namespace pinka::testing {
namespace {

using Rows = std::vector<Mutation>;

Rows OfTransfers() {
  const std::string charge = "kind = 'charge' AND project IS NULL";
  return {
      {"transfers", "id", charge, "9999"},
      {"transfers", "at", charge, "at + interval '1 microsecond'"},
      {"transfers", "at", "kind = 'overhead'", "at + interval '1 microsecond'"},
      {"transfers", "at", "kind = 'deposit'", "at + interval '1 second'"},
      {"transfers", "at", "kind = 'withdraw'", "at - interval '1 second'"},
      {"transfers", "at", "kind = 'lapse'", "at + interval '1 second'"},
      {"transfers", "asset", charge, "2"},
      {"transfers", "debit", charge, "(SELECT account FROM lots ORDER BY id DESC LIMIT 1)"},
      {"transfers", "debit", "kind = 'deposit'",
       "(SELECT min(id) FROM accounts WHERE kind = 'lapsed')"},
      {"transfers", "credit", charge,
       "(SELECT max(id) FROM accounts WHERE kind = 'spent' AND id <> credit)"},
      {"transfers", "credit", "kind = 'overhead'",
       "(SELECT max(id) FROM accounts WHERE kind LIKE 'overhead%' AND id <> credit)"},
      {"transfers", "credit", "kind = 'deposit'",
       "(SELECT max(id) FROM accounts WHERE kind = 'lot' AND id <> credit)"},
      {"transfers", "amount", charge, "amount + 1"},
      {"transfers", "amount", "kind = 'overhead'", "amount - 1"},
      {"transfers", "amount", "kind = 'deposit'", "amount + 1"},
      {"transfers", "amount", "kind = 'withdraw'", "amount + 1"},
      {"transfers", "amount", "kind = 'lapse'", "amount + 1"},
      {"transfers", "amount", charge, "-amount"},
      {"transfers", "kind", charge, "'lapse'"},
      {"transfers", "kind", "kind = 'overhead'", "'charge'"},
      {"transfers", "person", "kind = 'deposit'", "NULL"},
      {"transfers", "person", charge, "member"},
      {"transfers", "request_id", "kind = 'deposit'", "'another'"},
      {"transfers", "request_id", "kind = 'withdraw'", "'d-1'"},
      {"transfers", "member", charge, "member + 1"},
      {"transfers", "project", charge, "(SELECT id FROM projects)"},
      {"transfers", "job", charge, "job + 1"},
      {"transfers", "index", charge, "index + 1"},
      {"transfers", "number", charge, "number + 1"},
      {"transfers", "tier", charge, "tier + 1"},
      {"transfers", "source", charge, "'spot'"},
      {"transfers", "node", charge, "node + 1"},
      {"transfers", "payer_kind", charge, "'project'"},
      {"transfers", "payer_id", charge, "payer_id + 1"},
      {"transfers", "unit_ms", charge, "unit_ms + 1"},
      {"transfers", "unit_ms", "kind = 'overhead'", "unit_ms + 1"},
      {"transfers", "tier", "kind = 'deposit' AND tier IS NOT NULL", "NULL"},
      {"transfers", "payer_id", "kind = 'deposit' AND member IS NOT NULL", "payer_id + 1"},
  };
}

Rows OfLinkedTransfers() {
  const std::string charge = "(SELECT max(id) FROM transfers WHERE kind = 'charge')";
  const std::string of_deposit =
      "kind = 'correct' AND linked IN (SELECT id FROM transfers WHERE kind = 'deposit')";
  const std::string of_charge =
      "kind = 'correct' AND linked IN (SELECT id FROM transfers WHERE kind = 'charge')";
  return {
      {"transfers", "linked", "kind = 'refund'", "NULL"},
      {"transfers", "linked", "kind = 'refund'", charge},
      {"transfers", "linked", "kind = 'refund'",
       "(SELECT max(id) FROM transfers WHERE kind = 'deposit')"},
      {"transfers", "linked", "kind = 'correct'", "NULL"},
      {"transfers", "linked", of_charge, charge},
      {"transfers", "linked", of_deposit, "1"},
      {"transfers", "linked", of_deposit, "id"},
      {"transfers", "linked", "kind = 'charge' AND id > 20", "1"},
      {"transfers", "linked", "kind = 'transfer'", "1"},
      {"transfers", "kind", "kind = 'refund'", "'reversal'"},
      {"transfers", "kind", "kind = 'refund'", "'correct'"},
      {"transfers", "kind", of_charge, "'charge'"},
      {"transfers", "kind", of_deposit, "'deposit'"},
      {"transfers", "kind", "kind = 'transfer'", "'lapse'"},
      {"transfers", "amount", "kind = 'refund'", "amount + 1"},
      {"transfers", "amount", "kind = 'refund'", "amount + 20000000"},
      {"transfers", "amount", of_charge, "amount + 1"},
      {"transfers", "amount", of_deposit, "amount + 1"},
      {"transfers", "amount", "kind = 'transfer'", "amount + 1"},
      {"transfers", "debit", "kind = 'refund'",
       "(SELECT max(id) FROM accounts WHERE kind = 'spent' AND id <> debit)"},
      {"transfers", "credit", "kind = 'refund'",
       "(SELECT account FROM lots ORDER BY id DESC LIMIT 1)"},
      {"transfers", "debit", "kind = 'transfer'", "(SELECT min(account) FROM lots)"},
      {"transfers", "credit", "kind = 'transfer'", "(SELECT min(account) FROM lots)"},
      {"transfers", "at", "kind = 'refund'", "at - interval '1 second'"},
      {"transfers", "at", "kind = 'transfer'", "at + interval '1 second'"},
      {"transfers", "person", "kind = 'refund'", "NULL"},
      {"transfers", "person", of_charge, "NULL"},
      {"transfers", "person", "kind = 'transfer'", "person + 1"},
      {"transfers", "request_id", "kind = 'refund'", "''"},
      {"transfers", "request_id", of_charge, "'another'"},
      {"transfers", "request_id", "kind = 'transfer'", "'d-1'"},
      {"transfers", "reason", "kind = 'refund'", "''"},
      {"transfers", "reason", "kind = 'correct'", "''"},
      {"transfers", "unit_ms", "kind = 'refund'", "1"},
      {"transfers", "unit_ms", of_charge, "1"},
      {"transfers", "unit_ms", "kind = 'transfer'", "1"},
      {"transfers", "member", "kind = 'refund'", "member + 1"},
      {"transfers", "job", "kind = 'refund'", "NULL"},
      {"transfers", "number", "kind = 'refund'", "number + 1"},
      {"transfers", "payer_id", "kind = 'transfer' AND member IS NOT NULL", "payer_id + 1"},
      {"transfers", "payer_kind", of_deposit, "'project'"},
      {"transfers", "tier", "kind = 'transfer' AND tier IS NOT NULL", "NULL"},
      {"requests", "first", "money AND key = 'r-1'", "first + 1"},
      {"requests", "first", "money AND key = 't-1'", "first - 1"},
      {"requests", "first", "money AND key = 'c-3'", "first - 1"},
      {"lots", "ends_at",
       "account IN (SELECT credit FROM transfers WHERE kind = 'transfer' AND tier IS NULL)",
       "now() + interval '100 years'"},
      {"lots", "tier", "account IN (SELECT credit FROM transfers WHERE kind = 'transfer')",
       "(SELECT min(id) FROM tiers)"},
      {"lots", "ends_at", "starts_at + interval '720 hours' = ends_at",
       "ends_at + interval '1 day'"},
      {"lots", "tier", "starts_at + interval '720 hours' = ends_at", "(SELECT min(id) FROM tiers)"},
  };
}

Rows OfPackages() {
  const std::string open = "closed_at IS NULL";
  const std::string lent = "borrow = 'limit'";
  const std::string shut = "lapse_to = 'overhead'";
  return {
      {"packages", "id", open, "id + 5000"},
      {"packages", "tier", open, "tier + 1"},
      {"packages", "kind", shut, "'capacity'"},
      {"packages", "payer", lent, "NULL"},
      {"packages", "price", open, "price + 10000"},
      {"packages", "total_ms", open, "total_ms + 1"},
      {"packages", "units", open, "units + 1"},
      {"packages", "bought_at", open, "bought_at + interval '1 second'"},
      {"packages", "starts_at", open, "starts_at + interval '1 second'"},
      {"packages", "ends_at", open, "ends_at + interval '1 second'"},
      {"packages", "ends_at", lent, "ends_at - interval '1 second'"},
      {"packages", "split", shut, "'equal'"},
      {"packages", "borrow", lent, "'none'"},
      {"packages", "borrow_ms", lent, "1"},
      {"packages", "lapse_to", shut, "'owner'"},
      {"packages", "inventory", open, "(SELECT min(id) FROM accounts WHERE kind = 'spent')"},
      {"packages", "used_ms", lent, "used_ms + 1"},
      {"packages", "moved", lent, "moved + 1"},
      {"packages", "lapsed", lent, "lapsed - 1"},
      {"packages", "closed_at", lent, "NULL"},
      {"packages", "closed_at", open, "now()"},
      {"portions", "package", "borrowing_ms > 0", "package + 5000"},
      {"portions", "member", "borrowing_ms > 0", "member + 5000"},
      {"portions", "share", "borrowing_ms > 0", "share + 1"},
      {"portions", "total_ms", "borrowing_ms > 0", "total_ms - 1"},
      {"portions", "cost", "borrowing_ms > 0", "cost + 10000"},
      {"portions", "lot", "borrowing_ms > 0", "(SELECT min(id) FROM lots)"},
      {"portions", "borrowed_ms", "borrowed_ms > 0", "borrowed_ms - 1"},
      {"portions", "borrowing_ms", "borrowing_ms > 0", "borrowing_ms + 1"},
      {"portions", "lapsed_ms", "lapsed_ms > 0", "lapsed_ms - 1"},
      {"portions", "lapsed", "lapsed > 0", "lapsed + 1"},
  };
}

Rows OfMonths() {
  const std::string paid = "state = 'paid'";
  const std::string open = "state = 'proposed'";
  const std::string entry = "kind = 'payment'";
  Rows rows = {
      {"months", "start_at", "true", "start_at - interval '1 hour'"},
      {"months", "end_at", "true", "end_at + interval '1 hour'"},
      {"months", "closed_at", "true", "end_at - interval '1 second'"},
      {"months", "forced", "forced", "false"},
      {"months", "by", "true", "9999"},
      {"months", "settled_at", "true", "settled_at - interval '1 microsecond'"},
      {"months", "settled_at", "true", "NULL"},
      {"months", "settled_by", "true", "9999"},
      {"months", "spread", "true", "'equal'"},
      {"positions", "month", "true", "month - interval '30 days'"},
      {"positions", "member", "position <> 0", "member + 5000"},
      {"payments", "month", open, "month - interval '30 days'"},
      {"payments", "payer", open, "payee"},
      {"payments", "payee", open, "payer"},
      {"payments", "amount", open, "amount + 10000"},
      {"payments", "amount", paid, "amount - 10000"},
      {"payments", "state", paid, "'proposed'"},
      {"payments", "state", open, "'paid'"},
      {"payments", "proposed_at", open, "proposed_at + interval '1 second'"},
      {"payments", "paid_at", paid, "paid_at + interval '1 second'"},
      {"payments", "ref", paid, "'bank 4712'"},
      {"payments", "transfer", paid, "transfer - 1"},
      {"transfers", "at", "kind = 'charge' AND at > '2026-10-01'", "'2026-09-30 20:00:00+08'"},
      {"transfers", "amount", entry, "amount + 1"},
      {"transfers", "at", entry, "at - interval '1 second'"},
      {"transfers", "debit", entry, "(SELECT min(id) FROM accounts WHERE kind = 'external')"},
      {"transfers", "person", entry, "NULL"},
      {"transfers", "member", entry, "member + 1"},
      {"transfers", "payer_id", entry, "payer_id + 1"},
      {"transfers", "request_id", entry, "'another'"},
  };
  for (const char* column :
       {"paid", "settled", "spent", "overhead", "lapsed", "carried", "position"}) {
    rows.push_back({"positions", column, "position <> 0", std::string(column) + " + 1"});
  }
  return rows;
}

// What a purchase, its hours and its end have posted.
Rows OfPackageEntries() {
  const std::string cost = "debit IN (SELECT inventory FROM packages) AND kind = 'charge'";
  const std::string lapse = "debit IN (SELECT inventory FROM packages) AND kind = 'lapse'";
  const std::string price = "kind = 'purchase' AND asset = 1";
  const std::string hours = "kind = 'purchase' AND asset <> 1";
  return {
      {"transfers", "amount", cost, "amount + 1"},
      {"transfers", "credit", cost,
       "(SELECT min(id) FROM accounts WHERE kind = 'spent' AND asset = 1 AND id <> credit)"},
      {"transfers", "payer_id", cost, "payer_id + 1"},
      {"transfers", "number", cost, "number + 1"},
      {"transfers", "unit_ms", cost, "unit_ms + 1"},
      {"transfers", "amount", "kind = 'charge' AND asset <> 1", "amount + 1"},
      {"transfers", "asset", "kind = 'charge' AND asset <> 1", "1"},
      {"transfers", "amount", lapse, "amount - 1"},
      {"transfers", "at", lapse, "at + interval '1 second'"},
      {"transfers", "credit", lapse,
       "(SELECT min(id) FROM accounts WHERE kind LIKE '%lapsed' AND asset = 1 AND id <> credit)"},
      {"transfers", "person", lapse + " AND request_id <> ''", "NULL"},
      {"transfers", "amount", price, "amount + 10000"},
      {"transfers", "at", price, "at + interval '1 second'"},
      {"transfers", "person", price, "NULL"},
      {"transfers", "request_id", price, "'another'"},
      {"transfers", "debit", price + " AND member IS NOT NULL",
       "(SELECT min(id) FROM accounts WHERE kind = 'external' AND asset = 1)"},
      {"transfers", "amount", hours, "amount + 1"},
      {"transfers", "member", hours + " AND member IS NOT NULL", "member + 1"},
      {"transfers", "tier", hours, "tier + 1"},
      {"accounts", "kind", "kind = 'inventory'", "'external'"},
      {"accounts", "owner_kind", "kind = 'inventory'", "'member'"},
      {"lots", "asset", "asset <> 1", "1"},
      {"lots", "tier", "asset <> 1", "tier + 1"},
      {"lots", "ends_at", "asset <> 1 AND NOT lapsed", "ends_at + interval '1 second'"},
      {"holds", "asset", "asset <> 1", "1"},
      {"holds", "amount", "asset <> 1 AND posted > 0", "amount + 1"},
      {"hold_lines", "lot", "posted > 0 AND lot IN (SELECT lot FROM portions)",
       "(SELECT max(id) FROM lots WHERE asset = 1)"},
      {"attempts", "source", "source = 'package' AND state = 'ENDED'", "'on_demand'"},
      {"attempts", "rate", "source = 'package' AND state = 'ENDED'", "rate + 1"},
      {"jobs", "source", "source = 'package'", "'spot'"},
  };
}

Rows OfAccountsAndLots() {
  return {
      {"accounts", "id", "kind = 'spent'", "id + 5000"},
      {"accounts", "kind", "kind = 'spent'", "'paid_in'"},
      {"accounts", "kind", "kind = 'lot'", "'lapsed'"},
      {"accounts", "owner_kind", "kind = 'spent'", "'lab'"},
      {"accounts", "owner_id", "kind = 'spent'", "owner_id + 1"},
      {"accounts", "owner_id", "kind = 'lot' AND owner_kind = 'member'", "owner_id + 1"},
      {"accounts", "asset", "kind = 'spent'", "2"},
      {"lots", "account", "posted > 0", "account + 1"},
      {"lots", "asset", "posted > 0", "2"},
      {"lots", "owner_kind", "owner_kind = 'member'", "'project'"},
      {"lots", "owner_id", "owner_kind = 'member'", "owner_id + 1"},
      {"lots", "tier", "tier IS NOT NULL", "NULL"},
      {"lots", "starts_at", "posted > 0", "starts_at + interval '1 second'"},
      {"lots", "ends_at", "lapsed", "ends_at + interval '30 days'"},
      {"lots", "ends_at", "NOT lapsed AND posted > 0", "starts_at + interval '1 minute'"},
      {"lots", "credited", "NOT lapsed", "credited + 1"},
      {"lots", "posted", "NOT lapsed", "posted + 1"},
      {"lots", "held", "held > 0", "held - 1"},
      {"lots", "lapsed", "lapsed", "false"},
      {"lots", "lapsed", "NOT lapsed", "true"},
      {"spend", "charged", "period = 'month'", "charged + 1"},
      {"spend", "unit_ms", "period = 'day'", "unit_ms - 1"},
      {"spend", "member", "period = 'none'", "member + 1000"},
      {"spend", "project", "period = 'month'", "project + 1000"},
      {"spend", "tier", "period = 'month'", "tier + 1000"},
      {"spend", "period", "period = 'month'", "'day'"},
      {"spend", "start_at", "period = 'month'", "start_at + interval '1 hour'"},
      {"periods", "start_at", "kind = 'month' AND start_at > '2026-09-15'",
       "start_at + interval '1 hour'"},
      {"periods", "end_at", "kind = 'day' AND start_at > '2026-09-15'",
       "end_at - interval '1 hour'"},
      {"requests", "at", "money", "at + interval '1 second'"},
      {"requests", "count", "money", "count + 1"},
      {"requests", "first", "money AND key = 'd-2'", "first + 1"},
      {"requests", "money", "money", "false"},
      {"requests", "key", "money", "'another'"},
      {"requests", "member", "money", "member + 1"},
      {"limits", "amount", "resource = 'running_units' AND scope_kind = 'member'", "1"},
      {"limits", "amount", "resource = 'money' AND period = 'month'", "1"},
      {"limits", "amount", "resource = 'money' AND period = 'dated'", "1"},
      {"limits", "amount", "resource = 'unit_hours'", "1"},
      {"lab", "next_transfer", "true", "next_transfer - 1"},
      {"lab", "next_job", "true", "next_job - 1"},
      {"lab", "next_id", "true", "next_id - 1"},
  };
}

Rows OfHolds() {
  return {
      {"holds", "number", "posted > 0", "number + 7"},
      {"holds", "asset", "posted > 0", "2"},
      {"holds", "amount", "posted > 0", "amount + 1"},
      {"holds", "posted", "posted > 0", "posted - 1"},
      {"holds", "state", "state = 'settled'", "'voided'"},
      {"holds", "state", "state = 'voided'", "'settled'"},
      {"holds", "state", "state = 'open'", "'settled'"},
      {"holds", "at", "posted > 0", "at + interval '1 microsecond'"},
      {"holds", "closed_at", "posted > 0", "NULL"},
      {"holds", "closed_at", "state = 'open'", "at"},
      {"holds", "reason", "posted > 0", "'NodeLost'"},
      {"hold_lines", "n", "posted > 0 AND n = 0", "7"},
      {"hold_lines", "lot", "posted > 0 AND n = 0",
       "(SELECT max(id) FROM lots WHERE owner_kind = 'lab')"},
      {"hold_lines", "lot", "posted > 0 AND n = 0",
       "(SELECT max(id) FROM lots WHERE owner_kind = 'project')"},
      {"hold_lines", "amount", "posted > 0", "amount + 1"},
      {"hold_lines", "posted", "posted > 0", "posted - 1"},
      {"settlements", "number", "charged > 0", "number + 7"},
      {"settlements", "at", "charged > 0", "at + interval '1 microsecond'"},
      {"settlements", "charged", "charged > 0", "charged - 1"},
      {"settlements", "lab", "lab > 0", "lab + 1"},
      {"settlements", "metered_ms", "charged > 0", "metered_ms + 1"},
      {"settlements", "payer", "payer = 'checkpoint' AND lab > 0 AND charged > 0", "'member'"},
      {"settlements", "payer", "payer = 'member' AND charged > 0", "'lab'"},
      {"settlements", "payer", "payer = 'nobody'", "'member'"},
      {"attempts", "checkpoint_ms", "checkpoint_ms > 0", "checkpoint_ms + 60000"},
      {"attempts", "checkpoint_ms", "checkpoint_ms > 0", "metered_ms + 1"},
      {"jobs", "charged", "charged > 0", "charged + 1"},
      {"jobs", "max_cost", "max_cost > 0", "1"},
  };
}

Rows OfAttempts() {
  const std::string paid = "end_reason = 'Exited' AND exit_code = 0 AND project IS NULL";
  return {
      {"attempts", "number", paid, "number + 7"},
      {"attempts", "node", paid, "node + 1"},
      {"attempts", "member", paid, "member + 1"},
      {"attempts", "project", paid, "(SELECT id FROM projects)"},
      {"attempts", "tier", paid, "tier + 1"},
      {"attempts", "units", paid, "units + 1"},
      {"attempts", "gpus", paid, "gpus || 7"},
      {"attempts", "state", paid, "'RUNNING'"},
      {"attempts", "state", "state = 'RUNNING'", "'ENDED'"},
      {"attempts", "want", "state = 'RUNNING'", "'stop'"},
      {"attempts", "stop_reason", "state = 'RUNNING'", "'Budget'"},
      {"attempts", "source", paid, "'owned'"},
      {"attempts", "rate", paid, "rate + 1"},
      {"attempts", "rate", "state = 'RUNNING'", "rate - 3000000"},
      {"attempts", "time_limit_us", paid, "time_limit_us + 1000000"},
      {"attempts", "ordered_at", paid, "ordered_at - interval '1 second'"},
      {"attempts", "started_at", paid, "ended_at + interval '1 second'"},
      {"attempts", "ended_at", paid, "ended_at + interval '1 second'"},
      {"attempts", "ended_at", "state = 'RUNNING'", "started_at"},
      {"attempts", "metered_ms", paid, "metered_ms - 1"},
      {"attempts", "metered_ms", "state = 'RUNNING'", "999999999"},
      {"attempts", "overrun_ms", "overrun_ms > 0", "overrun_ms + 40000"},
      {"attempts", "end_reason", paid, "'NodeLost'"},
      {"attempts", "exited", paid, "false"},
      {"attempts", "exit_code", paid, "5"},
      {"attempts", "signal", paid, "9"},
      {"attempts", "forgotten", "state = 'RUNNING'", "true"},
  };
}

Rows OfSums() {
  const std::string own = "part = 'member' AND running = 0 AND wasted = 0";
  return {
      {"usage_days", "day", own, "day + 1"},
      {"usage_days", "job", own, "job + 1"},
      {"usage_days", "part", own, "'lab'"},
      {"usage_days", "member", own, "member + 1"},
      {"usage_days", "project", own, "project + 1"},
      {"usage_days", "tier", own, "tier + 1"},
      {"usage_days", "source", own, "'spot'"},
      {"usage_days", "node", own, "node + 1"},
      {"usage_days", "units", own, "units + 1"},
      {"usage_days", "amount", own, "amount + 1"},
      {"usage_days", "unit_ms", own, "unit_ms - 1"},
      {"usage_days", "wasted", own, "1"},
      {"usage_days", "wasted", "wasted > 0", "wasted - 1"},
      {"usage_days", "running", "running > 0", "0"},
      {"usage_days", "attempts", own, "attempts + 1"},
      {"usage_days", "shared", "shared > 0", "0"},
      {"usage_days", "wait_us", own + " AND wait_us IS NOT NULL", "wait_us + 1"},
      {"usage_days", "wait_us", own + " AND wait_us IS NOT NULL", "NULL"},
      {"lot_months", "account", "true", "account + 1000"},
      {"lot_months", "month", "true", "month - 31"},
      {"lot_months", "net", "true", "net + 1"},
  };
}

Rows OfJobs() {
  const std::string done = "state = 'COMPLETED'";
  return {
      {"tasks", "state", done, "'FAILED'"},
      {"tasks", "state", "state = 'RUNNING'", "'STARTING'"},
      {"tasks", "hold_reason", done, "'HeldByUser'"},
      {"tasks", "attempts", done, "attempts + 1"},
      {"tasks", "retries_used", "retries_used > 0", "retries_used + 1"},
      {"tasks", "infra_restarts", "infra_restarts > 0", "infra_restarts + 1"},
      {"tasks", "exited", done, "false"},
      {"tasks", "exit_code", done, "1"},
      {"tasks", "signal", done, "15"},
      {"tasks", "end_reason", done, "'TimeLimit'"},
      {"tasks", "ended_at", done, "ended_at + interval '1 second'"},
      {"tasks", "ended_at", "state = 'RUNNING'", "now()"},
      {"tasks", "index", "state = 'FAILED'", "index + 1"},
      {"jobs", "task_count", "array_spec <> ''", "task_count + 1"},
      {"jobs", "array_spec", "array_spec <> ''", "'0-4'"},
      {"jobs", "pending", "NOT isempty(pending)", "'{}'"},
      {"jobs", "held", "NOT isempty(held)", "'{}'"},
      {"jobs", "cancelled", "NOT isempty(cancelled)", "'{}'"},
      {"jobs", "cancelled", done, "'{[0,1)}'"},
      {"jobs", "expired", "NOT isempty(expired)", "'{}'"},
      {"jobs", "expired", done, "'{[0,1)}'"},
      {"jobs", "hold_reason", "hold_reason <> ''", "''"},
      {"jobs", "state", done, "'FAILED'"},
      {"jobs", "state", "state = 'RUNNING'", "'PENDING'"},
      {"jobs", "ended_at", done, "ended_at + interval '1 second'"},
      {"jobs", "ended_at", "state = 'RUNNING'", "now()"},
      {"jobs", "counts", done, "array_append(counts[1:14], 1)"},
  };
}

}  // namespace

const std::vector<Mutation>& Mutations() {
  static const auto* all = [] {
    auto* rows = new Rows;
    for (const Rows& part : {OfTransfers(), OfLinkedTransfers(), OfPackages(), OfPackageEntries(),
                             OfMonths(), RentalMutations(), InvoiceMutations(), RefundMutations(),
                             OfAccountsAndLots(), OfHolds(), OfAttempts(), OfSums(), OfJobs()})
      rows->insert(rows->end(), part.begin(), part.end());
    return rows;
  }();
  return *all;
}

std::string KeyOf(const std::string& table) {
  static const std::map<std::string, std::string> keys = {
      {"transfers", "id::text"},
      {"accounts", "id::text"},
      {"lots", "id::text"},
      {"packages", "id::text"},
      {"invoices", "id::text"},
      {"invoice_lines", "format('%s/%s', invoice, n)"},
      {"payments", "id::text"},
      {"rentals", "id::text"},
      {"months", "start_at::text"},
      {"positions", "format('%s/%s', month, member)"},
      {"portions", "format('%s/%s', package, member)"},
      {"limits", "id::text"},
      {"jobs", "id::text"},
      {"holds", "format('%s_%s.%s', job, index, number)"},
      {"settlements", "format('%s_%s.%s', job, index, number)"},
      {"attempts", "format('%s_%s.%s', job, index, number)"},
      {"hold_lines", "format('%s_%s.%s/%s', job, index, number, n)"},
      {"tasks", "format('%s_%s', job, index)"},
      {"spend", "format('%s/%s/%s/%s/%s', member, project, tier, period, start_at)"},
      {"periods", "format('%s/%s', kind, start_at)"},
      {"requests", "format('%s/%s', member, key)"},
      {"lab", "'lab'"},
      {"lot_months", "format('%s/%s', account, month)"},
      {"usage_days",
       "format('%s/%s/%s/%s/%s/%s/%s/%s/%s', day, job, part, member, project, tier, source, node, "
       "units)"},
  };
  auto it = keys.find(table);
  PINKA_CHECK(it != keys.end(), "no key of table " + table);
  return it->second;
}

}  // namespace pinka::testing
