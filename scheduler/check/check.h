// The second opinion on the books (design.md 6): recomputes holds, lots, limits, payers and charges
// from entries, attempts, meters and rates, by other means than core, and says where the stored
// rows differ. Reads one repeatable-read snapshot, changes nothing, may run beside a serving
// scheduler.
//
//   db::Connection connection(url, "session_check");
//   StatusOr<Report> report = CheckBooks(connection);
//   if (report.ok() && !report->in_order()) Print(*report, out);
//
// The rules, each with its sentence: rules.h and docs/ledger.md. Not thread-safe.
#pragma once

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "db/connection.h"

namespace pinka::check {

// One row of the books that is not as its rule says.
struct Violation {
  std::string rule;   // "hold.amount"
  std::string table;  // "holds"
  std::string key;    // as people write it: "17", "36_1.2" for an attempt, "36_1.2/0" for a line
  std::string expected;
  std::string found;
};

struct Report {
  std::vector<Violation> violations;  // in the order of the rules, then by row
  std::set<std::string> capped;       // rules that more rows break than are listed
  int64_t transfers = 0;
  int64_t attempts = 0;
  int64_t lots = 0;
  int64_t jobs = 0;
  bool in_order() const { return violations.empty(); }
};

// At most so many rows are listed for a rule.
constexpr int64_t kRowsPerRule = 50;

// Fails only where the database cannot be read. Opens and ends a transaction of its own.
StatusOr<Report> CheckBooks(db::Connection& connection);
// The same inside the caller's transaction, which should be repeatable read.
StatusOr<Report> CheckInTransaction(db::Connection& connection);

// Each broken rule with its rows, then one line with the counts.
void Print(const Report& report, std::ostream& out);

// `pinkad check`: exit code 0 in order; 1 where not, or where the database cannot be read.
int RunCheck(const std::string& database_url, std::ostream& out);

}  // namespace pinka::check
