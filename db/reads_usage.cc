#include "db/reads_usage.h"

#include <array>

namespace pinka::db {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"member", "project", "tier",  "source",
                                                    "node",   "day",     "month", "job"};

Params UsageParams(std::string_view by, const UsageQuery& query) {
  Params params;
  params.Text(by).At(query.from).At(query.to).Int(query.member.value()).Int(query.job.value());
  params.Text(query.project).Text(query.tier).Text(query.source).Text(query.node);
  return params;
}

}  // namespace

template <class Binder, RowOf<UsageLine> R>
void Bind(Binder& b, R& row) {
  b(row.key);
  b(row.lab);
  b(row.whole);
  b(row.unit_ms);
  b(row.wall_ms);
  b(row.amount);
  b(row.jobs);
  b(row.attempts);
  b(row.median_wait);
  b(row.wasted);
}

template <class Binder, RowOf<HourLine> R>
void Bind(Binder& b, R& row) {
  b(row.tier);
  b(row.hour);
  b(row.unit_ms);
  b(row.checkpointed_ms);
}

template <class Binder, RowOf<UsageNames> R>
void Bind(Binder& b, R& row) {
  b(row.project);
  b(row.tier);
  b(row.node);
}

std::optional<UsageBy> UsageByFromName(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<UsageBy>(i);
  }
  return std::nullopt;
}

std::string_view Name(UsageBy by) { return kNames[static_cast<size_t>(by)]; }

StatusOr<UsageReport> ReadUsage(ReadPool& pool, const UsageQuery& query) {
  auto rows = pool.Rows<UsageLine>("usage_report", UsageParams(Name(query.by), query),
                                   ReadPool::Plan::kAnew);
  if (!rows.ok()) return rows.status();
  UsageReport report;
  report.lines = *std::move(rows);
  if (report.lines.empty()) return report;
  report.total = std::move(report.lines.back());
  report.lines.pop_back();
  return report;
}

StatusOr<std::vector<HourLine>> ReadHourlyUse(ReadPool& pool, Timestamp from, Timestamp to,
                                              MemberId member) {
  Params params;
  params.At(from).At(to).Int(member.value());
  return pool.Rows<HourLine>("hourly_use", params, ReadPool::Plan::kAnew);
}

StatusOr<UsageNames> KnownUsageNames(ReadPool& pool, const UsageQuery& query) {
  Params params;
  params.Text(query.project).Text(query.tier).Text(query.node);
  auto rows = pool.Rows<UsageNames>("usage_names", params);
  if (!rows.ok()) return rows.status();
  return rows->front();
}

}  // namespace pinka::db
