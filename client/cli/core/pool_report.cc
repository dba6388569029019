#include "client/cli/core/pool_report.h"

#include <algorithm>

#include "base/parse.h"
#include "base/split.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/csv.h"
#include "client/cli/core/usage_report.h"

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

HtmlReport PoolPage(const v1::GetPoolResponse& answer, const Lab& lab) {
  HtmlReport page;
  page.title = "What the machines cost";
  page.facts = {{"Lab", lab.name},
                {"Window", WindowText(answer, lab.zone)},
                {"Generated", lab.zone.Full(FromProto(answer.as_of()))}};
  page.chart_title = "Paid by tier";
  page.legend = {"used", "wasted", "idle", "other"};
  HtmlTable table;
  for (const Column& column : PoolColumns()) table.columns.push_back({column.title, column.right});
  table.columns.pop_back();  // the bar of letters
  table.if_empty = "Nothing was paid in this window.";
  for (std::vector<std::string>& cells : PoolCells(answer)) {
    cells.pop_back();
    table.rows.push_back(std::move(cells));
  }
  if (!table.rows.empty()) {
    table.total = table.rows.back();
    table.rows.pop_back();
  }
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const v1::PoolRow& row = answer.rows(static_cast<int>(i));
    page.bars.push_back(
        {table.rows[i][0],
         MoneyOf(row.paid()),
         table.rows[i][1],
         {MoneyOf(row.used()), MoneyOf(row.wasted()), MoneyOf(row.idle()), MoneyOf(row.other())}});
  }
  page.tables.push_back(std::move(table));
  page.note =
      "USED by jobs, whoever paid for them. WASTED on attempts that failed or were lost. IDLE: "
      "paid "
      "up-time without work, and hours of packages that lapsed to the lab. OTHER: minimums and "
      "rounding, disk, egress, variance of price less vouchers, and what is unknown. A tier's four "
      "parts are what was paid for it.";
  return page;
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
