#include "client/cli/core/statement_report.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/csv.h"

namespace pinka::cli {
namespace {

struct Section {
  const char* name;
  const v1::StatementSection& (v1::GetStatementResponse::*get)() const;
};
constexpr Section kSections[] = {{"credits", &v1::GetStatementResponse::credits},
                                 {"charges", &v1::GetStatementResponse::charges},
                                 {"refunds", &v1::GetStatementResponse::refunds},
                                 {"withdrawals", &v1::GetStatementResponse::withdrawals},
                                 {"lapses", &v1::GetStatementResponse::lapses},
                                 {"other", &v1::GetStatementResponse::other}};
constexpr char kElsewhere[] = "elsewhere";
constexpr size_t kAmountColumn = 6;

std::vector<Money> Amounts(const v1::StatementSection& section) {
  std::vector<Money> amounts;
  for (const v1::StatementLine& line : section.lines()) amounts.push_back(MoneyOf(line.amount()));
  return amounts;
}

StatementPart Part(const char* name, const v1::StatementSection& section, const Money* cents) {
  StatementPart part;
  part.name = name;
  for (const v1::StatementLine& line : section.lines()) {
    part.rows.push_back({&line, *cents++});
    part.total += part.rows.back().cents;
  }
  return part;
}

// Who is on the other side, where that says something: own charges go to the member's own work.
std::string Party(const v1::StatementLine& line) {
  return line.account().starts_with("spent:") ? "" : line.account();
}

CsvCell When(const v1::StatementLine& line, const Zone& zone) {
  return CsvText(line.has_at() ? zone.Full(FromProto(line.at())) : "");
}

void AppendCsv(const char* section, const v1::StatementSection& lines, const std::string& currency,
               const Zone& zone, std::string* csv) {
  for (const v1::StatementLine& line : lines.lines()) {
    const bool ran = !line.job().empty();
    *csv += CsvLine({CsvText(section), When(line, zone), CsvText(line.kind()), CsvText(line.job()),
                     CsvText(line.tier()), CsvText(line.source()), CsvText(line.project()),
                     ran ? CsvNumber(line.gpu_hours()) : CsvText(""), CsvNumber(line.rate()),
                     CsvNumber(line.amount()), CsvText(line.account()), CsvText(line.reason()),
                     CsvText(currency)});
  }
}

// Columns in which no row says anything are left out: deposits have no tier.
void DropEmptyColumns(HtmlTable* table) {
  for (size_t column = table->columns.size(); column-- > 1;) {
    const auto says = [&](const std::vector<std::string>& row) { return !row[column].empty(); };
    if (std::any_of(table->rows.begin(), table->rows.end(), says)) continue;
    const auto drop = [&](auto* cells) {
      cells->erase(cells->begin() + static_cast<std::ptrdiff_t>(column));
    };
    drop(&table->columns);
    for (auto& row : table->rows) drop(&row);
    drop(&table->total);
  }
}

HtmlTable Lines(const StatementPart& part, const std::string& caption, const std::string& currency,
                const Zone& zone) {
  HtmlTable table;
  table.caption = caption;
  const std::vector<std::string> titles = StatementTitles();
  for (size_t i = 0; i < titles.size(); ++i)
    table.columns.push_back({titles[i], i >= 4 && i <= kAmountColumn});
  for (const StatementRow& row : part.rows)
    table.rows.push_back(StatementCells(row, currency, zone));
  table.total.resize(titles.size());
  table.total[0] = "total";
  table.total[kAmountColumn] = FormatAmount(part.total, currency);
  DropEmptyColumns(&table);
  return table;
}

std::string Caption(std::string name) {
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

}  // namespace

std::vector<StatementPart> StatementParts(const v1::GetStatementResponse& answer) {
  std::vector<Money> amounts;
  for (const Section& section : kSections) {
    for (const Money amount : Amounts((answer.*section.get)())) amounts.push_back(amount);
  }
  const Money moved =
      RoundToCents(MoneyOf(answer.closing())) - RoundToCents(MoneyOf(answer.opening()));
  const std::vector<Money> cents = SpreadCentsTo(amounts, moved);
  std::vector<StatementPart> parts;
  size_t at = 0;
  for (const Section& section : kSections) {
    const v1::StatementSection& lines = (answer.*section.get)();
    parts.push_back(Part(section.name, lines, cents.data() + at));
    at += parts.back().rows.size();
  }
  const std::vector<Money> elsewhere = SpreadCents(Amounts(answer.elsewhere()));
  parts.push_back(Part(kElsewhere, answer.elsewhere(), elsewhere.data()));
  return parts;
}

std::string StatementTitle(const v1::GetStatementResponse& answer) {
  return answer.user() + ", " + answer.month() + (answer.so_far() ? " so far" : "");
}

std::vector<std::string> StatementTitles() {
  return {"TIME", "KIND", "JOB", "TIER", "GPU-H", "RATE", "AMOUNT", "ACCOUNT", "REASON"};
}

std::vector<std::string> StatementCells(const StatementRow& row, const std::string& currency,
                                        const Zone& zone) {
  const v1::StatementLine& line = *row.line;
  const bool ran = !line.job().empty();
  return {line.has_at() ? zone.Short(FromProto(line.at())) : "-",
          line.kind(),
          line.job(),
          line.tier(),
          ran ? FormatMoney(MoneyOf(line.gpu_hours())) : "",
          ran ? Amount(line.rate(), currency) : "",
          FormatAmount(row.cents, currency),
          Party(line),
          line.reason()};
}

std::string StatementCsv(const v1::GetStatementResponse& answer, const Zone& zone) {
  const std::string& currency = answer.currency();
  const auto balance = [&](const char* name, const google::protobuf::Timestamp& at,
                           const std::string& amount) {
    std::vector<CsvCell> cells(13);
    cells[0] = CsvText(name);
    cells[1] = CsvText(zone.Full(FromProto(at)));
    cells[9] = CsvNumber(amount);
    cells[12] = CsvText(currency);
    return CsvLine(cells);
  };
  std::string csv = CsvTitles({"section", "at", "kind", "job", "tier", "source", "project",
                               "gpu_hours", "rate", "amount", "account", "reason", "currency"});
  csv += balance("opening", answer.from(), answer.opening());
  for (const Section& section : kSections)
    AppendCsv(section.name, (answer.*section.get)(), currency, zone, &csv);
  csv += balance("closing", answer.so_far() ? answer.as_of() : answer.to(), answer.closing());
  AppendCsv(kElsewhere, answer.elsewhere(), currency, zone, &csv);
  return csv;
}

HtmlReport StatementPage(const v1::GetStatementResponse& answer, const Lab& lab) {
  const std::string& currency = answer.currency();
  HtmlReport page;
  page.title = "Statement of " + StatementTitle(answer);
  page.facts = {{"Lab", lab.name},
                {"Window", lab.zone.Full(FromProto(answer.from())) + " to " +
                               lab.zone.Full(FromProto(answer.to()))},
                {"Generated", lab.zone.Full(FromProto(answer.as_of()))}};
  page.chart_title = "What moved the balance";
  HtmlTable sums;
  sums.caption = "In short";
  sums.columns = {{"", false}, {"AMOUNT", true}};
  sums.rows.push_back({"Opening", FormatAmount(RoundToCents(MoneyOf(answer.opening())), currency)});
  std::vector<HtmlTable> tables;
  for (const StatementPart& part : StatementParts(answer)) {
    const bool own = part.name != kElsewhere;
    if (part.rows.empty()) continue;
    const std::string caption =
        own ? Caption(part.name) : std::string("Charged for this work to accounts of others");
    tables.push_back(Lines(part, caption, currency, lab.zone));
    if (!own) continue;
    sums.rows.push_back({caption, FormatAmount(part.total, currency)});
    page.bars.push_back({caption, part.total, sums.rows.back()[1]});
  }
  sums.total = {answer.so_far() ? "Closing so far" : "Closing",
                FormatAmount(RoundToCents(MoneyOf(answer.closing())), currency)};
  page.tables.push_back(std::move(sums));
  for (HtmlTable& table : tables) page.tables.push_back(std::move(table));
  return page;
}

}  // namespace pinka::cli
