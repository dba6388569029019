#include "client/cli/core/csv.h"

#include <algorithm>
#include <string_view>

namespace pinka::cli {
namespace {

bool IsNumber(std::string_view cell) {
  if (cell.starts_with("-")) cell.remove_prefix(1);
  return !cell.empty() && std::count(cell.begin(), cell.end(), '.') <= 1 && cell.front() != '.' &&
         std::all_of(cell.begin(), cell.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

std::string CsvCell(const std::string& cell) {
  constexpr std::string_view kFormulaStarts = "=+-@\t\r\n";
  std::string text = cell;
  if (!cell.empty() && kFormulaStarts.find(cell[0]) != std::string_view::npos && !IsNumber(cell)) {
    text = "'" + cell;
  }
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string CsvLine(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + CsvCell(cells[i]);
  return line + "\r\n";
}

}  // namespace pinka::cli
