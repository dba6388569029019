// What the check guards: one row a rule. A rule of kind kQuery is the query check_<name> with '_'
// for '.'; the others are replays of the books in the order of time, of jobs with their tasks, or
// of positions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pinka::check {

struct Rule {
  enum class Kind { kQuery, kReplay, kJobs, kPositions };
  std::string_view name;
  Kind kind;
  std::string_view sentence;
};

std::span<const Rule> Rules();
const Rule& RuleNamed(std::string_view name);  // an unknown name is a programmer's error
std::string QueryOf(const Rule& rule);         // of kind kQuery

}  // namespace pinka::check
