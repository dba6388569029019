// Tables that fit a terminal. Columns are laid out from the first thousand rows, then rows go out
// as they come, so that a list of 50,000 starts at once. Wide characters count two columns and
// never break.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/core/terminal.h"

namespace pinka::cli {

struct Column {
  std::string title;
  // 0: never cut (ids, amounts). Otherwise it may shrink to this many columns, the rightmost first.
  int min = 0;
  bool right = false;  // numbers
  // The SGR colour of a cell ("32"), or nothing.
  std::string (*color)(const std::string& cell) = nullptr;
};

class Table {
 public:
  using Sink = std::function<void(std::string_view)>;
  Table(std::vector<Column> columns, const Terminal& terminal, Sink sink);

  // As many cells as columns. Control characters are replaced.
  void Row(std::vector<std::string> cells);
  // Prints what is left; a table without rows prints `if_empty` instead of its titles.
  void Finish(const std::string& if_empty);

 private:
  void Layout();
  void Print(const std::vector<std::string>& cells, bool title);

  std::vector<Column> columns_;
  Terminal terminal_;
  Sink sink_;
  std::vector<std::vector<std::string>> waiting_;
  std::vector<int> widths_;  // empty: not laid out yet
};

// Widths of the columns within `total` (0: no bound), two blanks between them; where even
// shrunk columns are too wide the rightmost goes whole (-1). Pure.
std::vector<int> FitWidths(const std::vector<Column>& columns, const std::vector<int>& natural,
                           int total);

// Colours of states: green what goes well, red what failed, yellow what waits.
std::string StateColor(const std::string& state);

}  // namespace pinka::cli
