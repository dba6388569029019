#include "client/cli/core/pool_report.h"

#include <algorithm>

#include "base/parse.h"
#include "base/split.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/csv.h"

namespace pinka::cli {
namespace {

constexpr int64_t kBarCells = 20;
constexpr char kBarMarks[] = "#x.+";

std::string PercentText(const std::string& percent) {
  return percent.empty() ? "" : percent + " %";
}

}  // namespace

std::vector<Column> PoolColumns() {
  return {{"TIER", 0},        {"PAID", 0, true},
          {"USED", 0, true},  {"WASTED", 0, true},
          {"IDLE", 0, true},  {"OTHER", 0, true},
          {"GPU-H", 0, true}, {"# used x wasted . idle + other", 8}};
}

std::string PoolBar(const v1::PoolRow& row) {
  const std::vector<int64_t> parts = {MoneyOf(row.used()).micros(), MoneyOf(row.wasted()).micros(),
                                      MoneyOf(row.idle()).micros(), MoneyOf(row.other()).micros()};
  if (row.used_percent().empty() || std::ranges::min(parts) < 0) return "";
  std::string bar;
  const std::vector<int64_t> cells = SplitByShares(kBarCells, parts);
  for (size_t i = 0; i < cells.size(); ++i) bar.append(static_cast<size_t>(cells[i]), kBarMarks[i]);
  return bar;
}

std::vector<std::vector<std::string>> PoolCells(const v1::GetPoolResponse& answer) {
  std::vector<std::vector<std::string>> cells;
  if (answer.rows().empty()) return cells;
  std::vector<Money> paid;
  std::vector<Money> hours;
  for (const v1::PoolRow& row : answer.rows()) {
    paid.push_back(MoneyOf(row.paid()));
    hours.push_back(MoneyOf(row.gpu_hours()));
  }
  paid = SpreadCents(paid);
  hours = SpreadCents(hours);
  paid.push_back(RoundToCents(MoneyOf(answer.total().paid())));
  hours.push_back(RoundToCents(MoneyOf(answer.total().gpu_hours())));
  for (int i = 0; i <= answer.rows_size(); ++i) {
    const bool last = i == answer.rows_size();
    const v1::PoolRow& row = last ? answer.total() : answer.rows(i);
    const auto at = static_cast<size_t>(i);
    const std::string tier = row.tier().empty() ? "-" : row.tier();
    cells.push_back({last ? "total" : tier, FormatAmount(paid[at], answer.currency()),
                     PercentText(row.used_percent()), PercentText(row.wasted_percent()),
                     PercentText(row.idle_percent()), PercentText(row.other_percent()),
                     FormatMoney(hours[at]), PoolBar(row)});
  }
  return cells;
}

std::string PoolCsv(const v1::GetPoolResponse& answer) {
  std::string csv =
      CsvTitles({"tier", "paid", "used", "wasted", "idle", "other", "used_percent",
                 "wasted_percent", "idle_percent", "other_percent", "gpu_hours", "currency"});
  for (const v1::PoolRow& row : answer.rows()) {
    csv += CsvLine({CsvText(row.tier()), CsvNumber(row.paid()), CsvNumber(row.used()),
                    CsvNumber(row.wasted()), CsvNumber(row.idle()), CsvNumber(row.other()),
                    CsvNumber(row.used_percent()), CsvNumber(row.wasted_percent()),
                    CsvNumber(row.idle_percent()), CsvNumber(row.other_percent()),
                    CsvNumber(row.gpu_hours()), CsvText(answer.currency())});
  }
  return csv;
}

}  // namespace pinka::cli
