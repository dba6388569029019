#include "scheduler/check/findings.h"

namespace pinka::check {

void Findings::Add(std::string_view rule, std::string table, std::string key, std::string expected,
                   std::string found) {
  int64_t& rows = rows_[std::string(rule)];
  if (rows == kRowsPerRule) {
    report_.capped.insert(std::string(rule));
    return;
  }
  ++rows;
  report_.violations.push_back(
      {std::string(rule), std::move(table), std::move(key), std::move(expected), std::move(found)});
}

}  // namespace pinka::check
