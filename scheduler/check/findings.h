// Collects what the rules find, at most kRowsPerRule rows each.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "scheduler/check/check.h"

namespace pinka::check {

class Findings {
 public:
  explicit Findings(Report& report) : report_(report) {}
  void Add(std::string_view rule, std::string table, std::string key, std::string expected,
           std::string found);

 private:
  Report& report_;
  std::map<std::string, int64_t, std::less<>> rows_;
};

}  // namespace pinka::check
