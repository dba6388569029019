// Bytes of a job on their way to a terminal. Invalid ones and controls become U+FFFD; what progress
// bars are made of stays: a return to the start of the line, a step back, "erase the line", and
// colours where the terminal has any. Other escape sequences (moving about, titles, queries) are
// left out whole. A character or a sequence that was split over two chunks comes out as if it had
// not been.
#pragma once

#include <string>
#include <string_view>

namespace pinka::cli {

class TerminalFilter {
 public:
  explicit TerminalFilter(bool color = false) : color_(color) {}

  std::string Feed(std::string_view bytes);
  // What was held back, at the end; colours are switched off.
  std::string Finish();

 private:
  std::string Take(std::string_view bytes, bool more_may_come);
  std::string Keep(std::string_view sequence);

  bool color_;
  bool painted_ = false;  // a colour is on
  std::string held_;      // the beginning of a character or of a sequence
};

// Without the states of a line that later ones of the same text wrote over: a bar that was drawn a
// thousand times is drawn once.
std::string DropOverwritten(std::string_view text);

}  // namespace pinka::cli
