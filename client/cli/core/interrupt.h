// Ctrl-C as a question instead of an end. Made before any other thread starts: the signal is
// blocked for all of them and taken by one of its own.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace pinka::cli {

class InterruptWatch {
 public:
  // `on_interrupt` runs on the watch's thread, once per Ctrl-C.
  explicit InterruptWatch(std::function<void()> on_interrupt);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  std::jthread thread_;
};

// Reads one line from the terminal; a further Ctrl-C is "d", as detach. For use within
// `on_interrupt`.
std::string ReadAnswer();

}  // namespace pinka::cli
