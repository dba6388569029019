#include "db/reads_usage.h"

#include <array>

namespace pinka::db {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"member", "project", "tier",  "source",
                                                    "node",   "day",     "month", "job"};

Params UsageParams(std::string_view by, const UsageQuery& query) {
  Params params;
  params.Text(by).At(query.from).At(query.to).Int(query.member.value());
  return params;
}

}  // namespace

template <class Binder, RowOf<UsageLine> R>
void Bind(Binder& b, R& row) {
  b(row.key);
  b(row.lab);
  b(row.unit_ms);
  b(row.amount);
  b(row.jobs);
  b(row.median_wait);
  b(row.wasted);
}

std::optional<UsageBy> UsageByFromName(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<UsageBy>(i);
  }
  return std::nullopt;
}

StatusOr<std::vector<UsageLine>> ReadUsage(ReadPool& pool, const UsageQuery& query) {
  return pool.Rows<UsageLine>("usage_report",
                              UsageParams(kNames[static_cast<size_t>(query.by)], query),
                              ReadPool::Plan::kAnew);
}

StatusOr<std::optional<UsageLine>> ReadUsageTotal(ReadPool& pool, const UsageQuery& query) {
  auto rows =
      pool.Rows<UsageLine>("usage_report", UsageParams("all", query), ReadPool::Plan::kAnew);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  return std::move(rows->front());
}

}  // namespace pinka::db
