#include "client/cli/core/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace pinka::cli {
namespace {

int EnvironmentColumns() {
  const char* text = getenv("COLUMNS");
  const int columns = text == nullptr ? 0 : std::atoi(text);
  return columns >= 20 && columns <= 10'000 ? columns : 0;
}

int ColumnsOf(bool is_terminal) {
  winsize size{};
  if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const int columns = EnvironmentColumns();
  return columns == 0 && is_terminal ? 80 : columns;
}

bool ColorWanted() {
  const char* no_color = getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = getenv("TERM");
  return term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Terminal DetectTerminal() {
  Terminal terminal;
  terminal.in = isatty(STDIN_FILENO) != 0;
  terminal.out = isatty(STDOUT_FILENO) != 0;
  terminal.err = isatty(STDERR_FILENO) != 0;
  terminal.columns = ColumnsOf(terminal.out);
  terminal.color = terminal.out && ColorWanted();
  return terminal;
}

std::string Paint(const Terminal& terminal, const std::string& sgr, const std::string& text) {
  if (!terminal.color || sgr.empty()) return text;
  return "\033[" + sgr + "m" + text + "\033[0m";
}

}  // namespace pinka::cli
