#include "scheduler/check/check.h"

#include <algorithm>

#include "scheduler/check/findings.h"
#include "scheduler/check/jobs.h"
#include "scheduler/check/limit_replay.h"
#include "scheduler/check/lot_replay.h"
#include "scheduler/check/positions.h"
#include "scheduler/check/rules.h"

namespace pinka::check {
namespace {

StatusOr<Timestamp> Count(db::Connection& connection, Report& report) {
  StatusOr<db::Result> result = connection.Exec("check_counts");
  if (!result.ok()) return result.status();
  Timestamp core_now;
  for (db::Row row(*result); row.Next();) {
    report.transfers = row.Int();
    report.attempts = row.Int();
    report.lots = row.Int();
    report.jobs = row.Int();
    core_now = row.At();
  }
  return core_now;
}

Status RunQueries(db::Connection& connection, Findings& findings) {
  for (const Rule& rule : Rules()) {
    if (rule.kind != Rule::Kind::kQuery) continue;
    // One more than is listed tells that there are more.
    StatusOr<db::Result> result =
        connection.Exec(QueryOf(rule), db::Params().Int(kRowsPerRule + 1));
    if (!result.ok()) return result.status();
    for (db::Row row(*result); row.Next();) {
      std::string table = row.Text();
      std::string key = row.Text();
      std::string expected = row.Text();
      findings.Add(rule.name, std::move(table), std::move(key), std::move(expected), row.Text());
    }
  }
  return OkStatus();
}

Status Replay(db::Connection& connection, Findings& findings) {
  LotReplay lots(findings);
  LimitReplay limits(findings);
  if (Status status = lots.Load(connection); !status.ok()) return status;
  if (Status status = limits.Load(connection); !status.ok()) return status;
  return ForEachInstant(connection, [&](std::span<const Moment> moments) {
    lots.Instant(moments);
    limits.Instant(moments);
  });
}

void SortByRule(Report& report) {
  const auto place = [](const Violation& v) { return &RuleNamed(v.rule) - Rules().data(); };
  std::ranges::stable_sort(report.violations, {}, place);
}

}  // namespace

StatusOr<Report> CheckInTransaction(db::Connection& connection) {
  Report report;
  Findings findings(report);
  const StatusOr<Timestamp> core_now = Count(connection, report);
  if (!core_now.ok()) return core_now.status();
  if (Status status = RunQueries(connection, findings); !status.ok()) return status;
  if (Status status = Replay(connection, findings); !status.ok()) return status;
  if (Status status = CheckPositions(connection, findings); !status.ok()) return status;
  if (Status status = CheckJobs(connection, *core_now, findings); !status.ok()) return status;
  SortByRule(report);
  return report;
}

StatusOr<Report> CheckBooks(db::Connection& connection) {
  if (Status status = connection.Exec("begin_snapshot").status(); !status.ok()) return status;
  StatusOr<Report> report = CheckInTransaction(connection);
  const Status ended = connection.Exec("rollback").status();
  if (report.ok() && !ended.ok()) return ended;
  return report;
}

}  // namespace pinka::check
