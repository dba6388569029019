// The whole terminal, for a live view: the alternate screen, keys one by one. What was there comes
// back when it goes, also where a signal ends the program (HUP, INT, QUIT, TERM).
//
//   Screen screen;
//   while (!quit) {
//     screen.Show(lines);
//     switch (screen.Wait(Duration::Seconds(2))) { … }
//   }
#pragma once

#include <termios.h>

#include <string>
#include <vector>

#include "base/time.h"

namespace pinka::cli {

struct ScreenSize {
  int columns = 80;
  int rows = 24;
};

// One at a time.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  ScreenSize size() const;
  // From the upper left, in place of what was shown.
  void Show(const std::vector<std::string>& lines);

  enum class Event { kTimeout, kResize, kQuit, kSignal, kKey };
  // The first of: `q` or Ctrl-C (kQuit), another key, a new size, a signal that ends programs.
  Event Wait(Duration at_most);
  int signal() const { return signal_; }  // after kSignal

 private:
  Event ReadKey();
  Event ReadSignal();
  termios before_{};
  int signal_ = 0;
};

}  // namespace pinka::cli
