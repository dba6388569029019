// Bytes of a job on their way to a terminal: invalid ones and controls become U+FFFD (a return
// to the start of the line stays, for progress bars), and a character that was split over two
// chunks comes out whole.
#pragma once

#include <string>
#include <string_view>

namespace pinka::cli {

class TerminalFilter {
 public:
  std::string Feed(std::string_view bytes);
  // What was held back, at the end.
  std::string Finish();

 private:
  std::string held_;  // the beginning of a character, at most 3 bytes
};

}  // namespace pinka::cli
