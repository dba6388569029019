#include "agent/inspect/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.h"
#include "base/file.h"

namespace pinka::inspect {
namespace {

constexpr Duration kLook = Duration::Millis(20);      // where the kernel has no pidfd
constexpr Duration kDying = Duration::Millis(2'000);  // a killed group has this long to go

// A program that hangs must not inherit our signals, nor a terminal's input.
pid_t Spawn(const std::vector<std::string>& argv, int output, Streams streams, int* error) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  if (streams == Streams::kBoth) {
    posix_spawn_file_actions_adddup2(&files, output, 2);
  } else {
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  *error = posix_spawnp(&pid, words[0], &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return *error == 0 ? pid : 0;
}

class Running {
 public:
  Running(pid_t pid, Fd output)
      : pid_(pid), output_(std::move(output)), pidfd_(Fd(OpenPidfdOf(pid))) {}

  // Until the program has ended, whoever else holds its output open.
  void Follow(Duration until, Outcome* outcome) {
    while (!ended_ && clock_.Boottime() < until) {
      Wait(until);
      Drain(outcome);
      Reap(outcome);
    }
    Drain(outcome);
  }

  void Kill(Outcome* outcome) {
    outcome->timed_out = true;
    kill(-pid_, SIGKILL);
    const Duration until = clock_.Boottime() + kDying;
    while (!ended_ && clock_.Boottime() < until) {
      Wait(until);
      Reap(outcome);
    }
    outcome->stuck = !ended_;
  }

  // Children that the program left in its group go with it.
  void SweepGroup() const { kill(-pid_, SIGKILL); }
  bool ended() const { return ended_; }

 private:
  static int OpenPidfdOf(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

  void Wait(Duration until) {
    std::array<pollfd, 2> wait = {pollfd{open_ ? output_.get() : -1, POLLIN, 0},
                                  pollfd{pidfd_.get(), POLLIN, 0}};
    Duration span = until - clock_.Boottime();
    if (!pidfd_.valid()) span = std::min(span, kLook);
    poll(wait.data(), wait.size(), static_cast<int>(std::max<int64_t>(span.millis(), 1)));
  }

  void Drain(Outcome* outcome) {
    std::array<char, 65536> bytes;
    while (open_) {
      const ssize_t got = read(output_.get(), bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;
      if (got == 0) open_ = false;
      const size_t room = kMostBytes - outcome->output.size();
      outcome->output.append(bytes.data(), std::min(static_cast<size_t>(got), room));
    }
  }

  void Reap(Outcome* outcome) {
    int status = 0;
    const pid_t got = waitpid(pid_, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return;
    ended_ = true;
    if (got != pid_) return;
    outcome->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  SystemClock clock_;
  pid_t pid_;
  Fd output_;
  Fd pidfd_;
  bool open_ = true;
  bool ended_ = false;
};

}  // namespace

Outcome RunProgram(const std::vector<std::string>& argv, Duration deadline, Streams streams) {
  Outcome outcome;
  SystemClock clock;
  const Duration began = clock.Boottime();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    outcome.status = 126;
    return outcome;
  }
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  int error = 0;
  const pid_t pid = Spawn(argv, write_end.get(), streams, &error);
  write_end = Fd();
  if (pid == 0) {
    outcome.status = error == ENOENT ? 127 : 126;
    return outcome;
  }
  Running running(pid, std::move(read_end));
  running.Follow(began + deadline, &outcome);
  if (!running.ended()) running.Kill(&outcome);
  running.SweepGroup();
  outcome.took = clock.Boottime() - began;
  return outcome;
}

}  // namespace pinka::inspect
