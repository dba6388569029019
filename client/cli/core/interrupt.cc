#include "client/cli/core/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

namespace pinka::cli {
namespace {

constexpr int kStep = 200;  // ms between looks at the terminal and at a further Ctrl-C

sigset_t Interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

bool TakeInterrupt(int wait_ms) {
  const sigset_t set = Interrupts();
  const timespec wait{wait_ms / 1'000, (wait_ms % 1'000) * 1'000'000L};
  return sigtimedwait(&set, nullptr, &wait) == SIGINT;
}

}  // namespace

InterruptWatch::InterruptWatch(std::function<void()> on_interrupt) {
  const sigset_t set = Interrupts();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::jthread([act = std::move(on_interrupt)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (TakeInterrupt(kStep) && !stop.stop_requested()) act();
    }
  });
}

InterruptWatch::~InterruptWatch() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), SIGINT);  // so that nobody waits for the step to end
}

std::string ReadAnswer() {
  std::string line;
  for (;;) {
    pollfd in{STDIN_FILENO, POLLIN, 0};
    if (poll(&in, 1, kStep) > 0) {
      char c = 0;
      if (read(STDIN_FILENO, &c, 1) != 1 || c == '\n') return line;
      line += c;
    }
    if (TakeInterrupt(0)) return "d";
  }
}

}  // namespace pinka::cli
