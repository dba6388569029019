#include "client/cli/core/csv.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace pinka::cli {
namespace {

bool IsNumber(std::string_view cell) {
  if (cell.starts_with("-")) cell.remove_prefix(1);
  return !cell.empty() && std::count(cell.begin(), cell.end(), '.') <= 1 && cell.front() != '.' &&
         std::all_of(cell.begin(), cell.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

bool IsFormula(std::string_view cell) {
  if (cell.starts_with(kCsvMark)) cell.remove_prefix(sizeof kCsvMark - 1);
  cell.remove_prefix(std::min(cell.find_first_not_of(" \"'"), cell.size()));
  for (const std::string_view start :
       {"=", "+", "-", "@", "\t", "\r", "\n", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
    if (cell.starts_with(start)) return true;
  }
  return false;
}

std::string Encode(const CsvCell& cell) {
  const bool guard = IsFormula(cell.text) && !(cell.number && IsNumber(cell.text));
  const std::string text = guard ? "'" + cell.text : cell.text;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

CsvCell CsvText(std::string text) { return {std::move(text), false}; }
CsvCell CsvNumber(std::string text) { return {std::move(text), true}; }

std::string CsvLine(const std::vector<CsvCell>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + Encode(cells[i]);
  return line + "\r\n";
}

std::string CsvTitles(const std::vector<std::string>& titles) {
  std::vector<CsvCell> cells;
  for (const std::string& title : titles) cells.push_back(CsvText(title));
  return CsvLine(cells);
}

}  // namespace pinka::cli
