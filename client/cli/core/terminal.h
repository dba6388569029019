// What stands at the three standard streams.
#pragma once

#include <string>

namespace pinka::cli {

struct Terminal {
  bool in = false;  // standard input is a terminal
  bool out = false;
  bool err = false;
  int columns = 0;     // of tables; 0: as wide as they like
  bool color = false;  // standard output may be coloured

  // A person is there to answer: questions go to standard error.
  bool CanAsk() const { return in && err; }
};

// NO_COLOR and TERM=dumb switch colour off; COLUMNS counts where no terminal says better.
Terminal DetectTerminal();

// `text` between the codes of an SGR colour ("32"), or as it is.
std::string Paint(const Terminal& terminal, const std::string& sgr, const std::string& text);

}  // namespace pinka::cli
