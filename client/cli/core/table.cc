#include "client/cli/core/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace pinka::cli {
namespace {

constexpr size_t kLayoutRows = 1'000;
constexpr int kGap = 2;
constexpr int kDropped = -1;

int Total(const std::vector<int>& widths) {
  int total = 0;
  for (const int width : widths) total += width == kDropped ? 0 : width + kGap;
  return std::max(0, total - kGap);
}

std::string OneLine(std::string cell) {
  cell = SanitizeForTerminal(cell);
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return cell;
}

}  // namespace

std::vector<int> FitWidths(const std::vector<Column>& columns, std::vector<int> natural,
                           int total) {
  if (total == 0) return natural;
  for (size_t i = columns.size(); i-- > 0 && Total(natural) > total;) {
    if (columns[i].min == 0) continue;
    const int excess = Total(natural) - total;
    natural[i] = std::max(std::min(natural[i], columns[i].min), natural[i] - excess);
  }
  for (size_t i = columns.size(); i-- > 1 && Total(natural) > total;) {
    if (columns[i].min != 0) natural[i] = kDropped;
  }
  return natural;
}

Table::Table(std::vector<Column> columns, const Terminal& terminal, Sink sink)
    : columns_(std::move(columns)), terminal_(terminal), sink_(std::move(sink)) {}

void Table::Row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = OneLine(std::move(cell));
  if (!widths_.empty()) return Print(cells, false);
  waiting_.push_back(std::move(cells));
  if (waiting_.size() == kLayoutRows) Layout();
}

void Table::Finish(const std::string& if_empty) {
  if (widths_.empty() && waiting_.empty()) {
    sink_(if_empty + "\n");
  } else if (widths_.empty()) {
    Layout();
  }
}

void Table::Layout() {
  std::vector<int> natural;
  std::vector<std::string> titles;
  for (size_t i = 0; i < columns_.size(); ++i) {
    int width = DisplayWidth(columns_[i].title);
    for (const auto& row : waiting_) width = std::max(width, DisplayWidth(row[i]));
    natural.push_back(width);
    titles.push_back(columns_[i].title);
  }
  widths_ = FitWidths(columns_, std::move(natural), terminal_.columns);
  Print(titles, true);
  for (const auto& row : waiting_) Print(row, false);
  waiting_.clear();
}

void Table::Print(const std::vector<std::string>& cells, bool title) {
  std::string line;
  std::string gap;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths_[i] == kDropped) continue;
    const Column& column = columns_[i];
    std::string cell = cells[i];
    if (terminal_.columns > 0 && column.min > 0) cell = FitColumns(cell, widths_[i]);
    cell = column.right ? PadLeft(cell, widths_[i]) : PadRight(cell, widths_[i]);
    const std::string color = title ? "1" : column.color == nullptr ? "" : column.color(cells[i]);
    line += gap;
    line += Paint(terminal_, color, cell);
    gap = std::string(kGap, ' ');
  }
  if (!terminal_.color) line.erase(line.find_last_not_of(' ') + 1);
  sink_(line + "\n");
}

std::string StateColor(const std::string& state) {
  for (const char* good : {"RUNNING", "STARTING", "COMPLETED", "READY"}) {
    if (state.starts_with(good)) return "32";
  }
  for (const char* waiting : {"PENDING", "HELD", "STOPPING", "JOINING", "DRAIN", "CANCELLED"}) {
    if (state.starts_with(waiting)) return "33";
  }
  return "31";
}

}  // namespace pinka::cli
