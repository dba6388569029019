#include "base/warning_signal.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/parse.h"

namespace pinka {
namespace {

// What a program can catch and a person may mean, with Linux's numbers: a lab's boxes run Linux,
// whatever the machine is that submits.
constexpr std::array<std::pair<std::string_view, int>, 13> kSignals = {{{"HUP", 1},
                                                                        {"INT", 2},
                                                                        {"QUIT", 3},
                                                                        {"ABRT", 6},
                                                                        {"USR1", 10},
                                                                        {"USR2", 12},
                                                                        {"ALRM", 14},
                                                                        {"TERM", 15},
                                                                        {"CONT", 18},
                                                                        {"TSTP", 20},
                                                                        {"URG", 23},
                                                                        {"WINCH", 28},
                                                                        {"PWR", 30}}};

StatusOr<int> ParseSignalName(std::string_view text) {
  std::string_view name = text.starts_with("SIG") ? text.substr(3) : text;
  for (const auto& [known, number] : kSignals) {
    if (name == known || text == fmt::format("{}", number)) return number;
  }
  if (name == "KILL" || name == "STOP" || text == "9" || text == "19") {
    return Invalid(
        fmt::format("no process can catch {}; a warning is a signal with a handler, "
                    "as USR1 or USR2",
                    text));
  }
  return Invalid(
      fmt::format("'{}' is no signal for a warning; write one as USR1, USR2, INT, TERM "
                  "or HUP",
                  text));
}

}  // namespace

StatusOr<WarningSignal> ParseWarningSignal(std::string_view text) {
  WarningSignal signal;
  if (text.starts_with("main:")) {
    signal.target = WarningSignal::Target::kMain;
    text.remove_prefix(5);
  } else if (text.starts_with("all:")) {
    text.remove_prefix(4);
  }
  size_t at = text.find('@');
  StatusOr<int> number = ParseSignalName(text.substr(0, at));
  if (!number.ok()) return number.status();
  signal.number = *number;
  if (at == std::string_view::npos) return signal;
  StatusOr<Duration> before = ParseDuration(text.substr(at + 1));
  if (!before.ok()) return before.status();
  signal.before = *before;
  return signal;
}

std::string FormatWarningSignal(const WarningSignal& signal) {
  std::string name;
  for (const auto& [known, number] : kSignals) {
    if (number == signal.number) name = known;
  }
  bool main = signal.target == WarningSignal::Target::kMain;
  return fmt::format("{}{}@{}", main ? "main:" : "", name, FormatDuration(signal.before));
}

}  // namespace pinka
