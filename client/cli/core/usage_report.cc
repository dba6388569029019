#include "client/cli/core/usage_report.h"

#include <algorithm>
#include <cctype>

#include "base/parse.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/csv.h"

namespace pinka::cli {
namespace {

// A part of the whole, "42.0 %".
std::string Percent(Money part, Money whole) {
  if (whole == Money()) return "";
  const int64_t over = whole < Money() ? -1 : 1;
  const int64_t tenths = MulDivRound(part.micros() * over, 1'000, whole.micros() * over);
  const int64_t size = std::abs(tenths);
  return (tenths < 0 ? "-" : "") + std::to_string(size / 10) + "." + std::to_string(size % 10) +
         " %";
}

// One column of two decimals, in the rows' order, the rounded total behind them.
std::vector<Money> Column(const v1::GetUsageResponse& answer,
                          const std::string& (v1::UsageRow::*field)() const) {
  std::vector<Money> exact;
  for (const v1::UsageRow& row : answer.rows()) exact.push_back(MoneyOf((row.*field)()));
  std::vector<Money> shown = SpreadCents(exact);
  shown.push_back(RoundToCents(MoneyOf((answer.total().*field)())));
  return shown;
}

std::string KeyOf(const v1::UsageRow& row) { return row.key().empty() ? "-" : row.key(); }

}  // namespace

std::vector<std::string> UsageTitles(const std::string& by) {
  std::string key = by;
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return {key,    "WALL H",      "GPU-H",  "AMOUNT",   "SHARE",
          "JOBS", "MEDIAN WAIT", "WASTED", "WASTED %", "ATTEMPTS"};
}

std::vector<std::vector<std::string>> UsageCells(const v1::GetUsageResponse& answer) {
  std::vector<std::vector<std::string>> cells;
  if (answer.rows().empty()) return cells;
  const std::vector<Money> wall = Column(answer, &v1::UsageRow::wall_hours);
  const std::vector<Money> hours = Column(answer, &v1::UsageRow::gpu_hours);
  const std::vector<Money> amounts = Column(answer, &v1::UsageRow::amount);
  const std::vector<Money> wasted = Column(answer, &v1::UsageRow::wasted);
  const Money whole = MoneyOf(answer.total().amount());
  for (int i = 0; i <= answer.rows_size(); ++i) {
    const bool last = i == answer.rows_size();
    const v1::UsageRow& row = last ? answer.total() : answer.rows(i);
    const auto at = static_cast<size_t>(i);
    cells.push_back({last ? "total" : KeyOf(row), FormatMoney(wall[at]), FormatMoney(hours[at]),
                     FormatAmount(amounts[at], answer.currency()),
                     last ? "" : Percent(MoneyOf(row.amount()), whole), std::to_string(row.jobs()),
                     FormatSpan(Duration::Seconds(row.median_wait_s())),
                     FormatAmount(wasted[at], answer.currency()),
                     Percent(MoneyOf(row.wasted()), MoneyOf(row.amount())),
                     std::to_string(row.attempts())});
  }
  return cells;
}

std::string UsageCsv(const v1::GetUsageResponse& answer) {
  std::string csv = CsvTitles({answer.by(), "wall_hours", "gpu_hours", "amount", "share", "jobs",
                               "attempts", "median_wait_s", "wasted", "wasted_share", "currency"});
  for (const v1::UsageRow& row : answer.rows()) {
    csv += CsvLine(
        {CsvText(row.key()), CsvNumber(row.wall_hours()), CsvNumber(row.gpu_hours()),
         CsvNumber(row.amount()), CsvNumber(row.share()), CsvNumber(std::to_string(row.jobs())),
         CsvNumber(std::to_string(row.attempts())), CsvNumber(std::to_string(row.median_wait_s())),
         CsvNumber(row.wasted()), CsvNumber(row.wasted_share()), CsvText(answer.currency())});
  }
  return csv;
}

HtmlReport UsagePage(const v1::GetUsageResponse& answer, const Lab& lab,
                     const std::string& filters) {
  HtmlReport page;
  page.title = "Usage by " + answer.by();
  page.facts = {{"Lab", lab.name}, {"Window", WindowText(answer, lab.zone)}};
  if (!filters.empty()) page.facts.emplace_back("Only", filters);
  page.facts.emplace_back("Generated", lab.zone.Full(FromProto(answer.as_of())));
  page.chart_title = "Amount by " + answer.by();
  HtmlTable table;
  const std::vector<std::string> titles = UsageTitles(answer.by());
  for (size_t i = 0; i < titles.size(); ++i) table.columns.push_back({titles[i], i > 0});
  table.rows = UsageCells(answer);
  table.if_empty = "Nothing was used in this window.";
  if (!table.rows.empty()) {
    table.total = table.rows.back();
    table.rows.pop_back();
  }
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const v1::UsageRow& row = answer.rows(static_cast<int>(i));
    page.bars.push_back({table.rows[i][0], MoneyOf(row.amount()), table.rows[i][3]});
  }
  page.tables.push_back(std::move(table));
  page.note =
      "Hours: WALL H is the time that attempts ran, GPU-H that time multiplied by their units. "
      "Runs "
      "before a requeue count. WASTED is the part of the amount that went to attempts that failed "
      "or "
      "were lost.";
  return page;
}

}  // namespace pinka::cli
