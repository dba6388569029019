#include "client/cli/core/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/check.h"
#include "base/clock.h"

namespace pinka::cli {
namespace {

constexpr std::array kSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
constexpr std::string_view kEnter = "\033[?1049h\033[?25l";
constexpr std::string_view kLeave = "\033[?25h\033[?1049l";
constexpr char kCtrlC = 3;

// Handlers may do no more than write here; any thread may be the one that is interrupted.
std::array<int, 2> g_pipe = {-1, -1};
std::array<struct sigaction, kSignals.size()> g_before;

void Tell(int number) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = write(g_pipe[1], &byte, 1);
  errno = error;
}

void WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

Screen::Screen() {
  PINKA_CHECK(g_pipe[0] < 0, "one screen at a time");
  PINKA_CHECK(pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) == 0, "a pipe for signals");
  struct sigaction action {};
  action.sa_handler = Tell;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &g_before[i]);
  tcgetattr(STDIN_FILENO, &before_);
  termios raw = before_;
  raw.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO | ISIG));
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  WriteAll(kEnter);
}

Screen::~Screen() {
  WriteAll(kLeave);
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &g_before[i], nullptr);
  close(g_pipe[0]);
  close(g_pipe[1]);
  g_pipe = {-1, -1};
}

ScreenSize Screen::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

void Screen::Show(const std::vector<std::string>& lines) {
  // In one piece, each line cleared to its end and the rest below: nothing flickers.
  std::string text = "\033[H";
  for (size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\r\n") + lines[i] + "\033[K";
  WriteAll(text + "\033[J");
}

Screen::Event Screen::ReadKey() {
  char key = 0;
  const ssize_t n = read(STDIN_FILENO, &key, 1);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return Event::kTimeout;
  return n <= 0 || key == 'q' || key == 'Q' || key == kCtrlC ? Event::kQuit : Event::kKey;
}

Screen::Event Screen::ReadSignal() {
  unsigned char number = 0;
  if (read(g_pipe[0], &number, 1) != 1) return Event::kTimeout;
  if (number == SIGWINCH) return Event::kResize;
  signal_ = number;
  return Event::kSignal;
}

Screen::Event Screen::Wait(Duration at_most) {
  const SystemClock clock;
  const Duration until = clock.Monotonic() + at_most;
  for (;;) {
    const int64_t left = std::max<int64_t>((until - clock.Monotonic()).millis(), 0);
    std::array<pollfd, 2> fds = {pollfd{g_pipe[0], POLLIN, 0}, pollfd{STDIN_FILENO, POLLIN, 0}};
    const int ready = poll(fds.data(), fds.size(), static_cast<int>(left));
    if (ready == 0) return Event::kTimeout;
    if (ready < 0) continue;  // EINTR: what interrupted it stands in the pipe
    const Event event = fds[0].revents != 0 ? ReadSignal() : ReadKey();
    if (event != Event::kTimeout) return event;
  }
}

}  // namespace pinka::cli
