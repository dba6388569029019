#include "fmt/format.h"
#include "scheduler/check/check.h"
#include "scheduler/check/rules.h"

namespace pinka::check {

void Print(const Report& report, std::ostream& out) {
  std::set<std::string> broken;
  for (const Violation& v : report.violations) {
    if (broken.insert(v.rule).second) {
      out << fmt::format("{}: {}\n", v.rule, RuleNamed(v.rule).sentence);
      if (report.capped.contains(v.rule)) out << "  more rows than these:\n";
    }
    out << fmt::format("  {} {}: expected {}; found {}\n", v.table, v.key, v.expected, v.found);
  }
  const std::string counts = fmt::format("checked {} transfers, {} attempts, {} lots",
                                         report.transfers, report.attempts, report.lots);
  if (report.in_order()) {
    out << counts << ": all in order\n";
  } else {
    out << fmt::format("{}: {} of {} rules broken, {} rows listed\n", counts, broken.size(),
                       Rules().size(), report.violations.size());
  }
}

int RunCheck(const std::string& database_url, std::ostream& out) {
  db::Connection connection(database_url, "session_check");
  const StatusOr<Report> report = CheckBooks(connection);
  if (!report.ok()) {
    out << "the books could not be read: " << Message(report.status()) << "\n";
    return 1;
  }
  Print(*report, out);
  return report->in_order() ? 0 : 1;
}

}  // namespace pinka::check
