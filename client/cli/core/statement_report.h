// What `pinka statement` shows, in each of its forms. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/html.h"
#include "client/cli/core/session.h"
#include "pinka/v1/report.pb.h"

namespace pinka::cli {

// One line as printed.
struct StatementRow {
  const v1::StatementLine* line = nullptr;
  Money cents;
};

// A section with the cents that it shows.
struct StatementPart {
  std::string name;  // "credits", "charges", …, "elsewhere"
  std::vector<StatementRow> rows;
  Money total;  // of the cents
};

// The sections in their order. Opening and closing are rounded by themselves, so that a closing
// reads as the next opening; the lines' cents sum to what lies between. The last part is
// `elsewhere`, which sums to its own total. Empty ones are in it.
std::vector<StatementPart> StatementParts(const v1::GetStatementResponse& answer);

// "王芳, 2026-11 so far"
std::string StatementTitle(const v1::GetStatementResponse& answer);

// Titles and cells of a line, for the terminal and the page.
std::vector<std::string> StatementTitles();
std::vector<std::string> StatementCells(const StatementRow& row, const std::string& currency,
                                        const Zone& zone);

// Exact, six decimals: the opening, all lines, the closing.
std::string StatementCsv(const v1::GetStatementResponse& answer, const Zone& zone);

HtmlReport StatementPage(const v1::GetStatementResponse& answer, const Lab& lab);

}  // namespace pinka::cli
