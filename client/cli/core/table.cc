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

// From the right, each as far as it may.
std::vector<int> Shrink(const std::vector<Column>& columns, std::vector<int> widths, int total) {
  for (size_t i = columns.size(); i-- > 0;) {
    const int excess = Total(widths) - total;
    if (excess <= 0) break;
    if (columns[i].min == 0 || widths[i] == kDropped) continue;
    widths[i] = std::max(std::min(widths[i], columns[i].min), widths[i] - excess);
  }
  return widths;
}

// Most cells are, and a list has half a million of them.
bool IsPlainAscii(std::string_view cell) {
  return std::all_of(cell.begin(), cell.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

int Width(std::string_view cell) {
  return IsPlainAscii(cell) ? static_cast<int>(cell.size()) : DisplayWidth(cell);
}

std::string Padded(std::string cell, int width, bool right) {
  const int missing = std::max(0, width - Width(cell));
  cell.insert(right ? 0 : cell.size(), static_cast<size_t>(missing), ' ');
  return cell;
}

std::string OneLine(std::string cell) {
  if (IsPlainAscii(cell)) return cell;
  cell = SanitizeForTerminal(cell);
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return cell;
}

}  // namespace

std::vector<int> FitWidths(const std::vector<Column>& columns, const std::vector<int>& natural,
                           int total) {
  if (total == 0) return natural;
  std::vector<int> wanted = natural;
  for (;;) {
    const std::vector<int> widths = Shrink(columns, wanted, total);
    if (Total(widths) <= total) return widths;
    size_t last = columns.size() - 1;
    while (last > 0 && (columns[last].min == 0 || wanted[last] == kDropped)) --last;
    if (last == 0) return widths;  // what may not be cut is wider than the terminal
    wanted[last] = kDropped;
  }
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
    int width = Width(columns_[i].title);
    for (const auto& row : waiting_) width = std::max(width, Width(row[i]));
    natural.push_back(width);
    titles.push_back(columns_[i].title);
  }
  widths_ = FitWidths(columns_, natural, terminal_.columns);
  Print(titles, true);
  for (const auto& row : waiting_) Print(row, false);
  waiting_.clear();
}

void Table::Print(const std::vector<std::string>& cells, bool title) {
  std::string line;
  bool first = true;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths_[i] == kDropped) continue;
    const Column& column = columns_[i];
    const bool cut = terminal_.columns > 0 && column.min > 0 && Width(cells[i]) > widths_[i];
    const std::string cell =
        Padded(cut ? FitColumns(cells[i], widths_[i]) : cells[i], widths_[i], column.right);
    const std::string color = title ? "1" : column.color == nullptr ? "" : column.color(cells[i]);
    if (!first) line.append(kGap, ' ');
    first = false;
    line += Paint(terminal_, color, cell);
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
