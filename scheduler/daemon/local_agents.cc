#include "scheduler/daemon/local_agents.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/file.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "spdlog/spdlog.h"

extern char** environ;

namespace pinka {
namespace {

constexpr Duration kPause = Duration::Seconds(1);

// Waits until a process is gone, at most `seconds`; it need not be a child.
void WaitGone(pid_t pid, int seconds) {
  const Fd watch(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!watch.valid()) return;
  pollfd p{watch.get(), POLLIN, 0};
  while (poll(&p, 1, seconds * 1000) < 0 && errno == EINTR) {
  }
}

// The name of the program a process runs, "" where there is none.
std::string ProgramOf(pid_t pid) {
  auto comm = ReadFile(fmt::format("/proc/{}/comm", pid));
  if (!comm.ok()) return "";
  while (!comm->empty() && comm->back() == '\n') comm->pop_back();
  return *comm;
}

}  // namespace

void LocalAgents::EndPredecessor(const std::string& tier) const {
  const auto text = ReadFile(StateDir(tier) + ".pid");
  if (!text.ok()) return;
  const auto pid = ParseInt(*text, 2, INT32_MAX, "process id");
  if (!pid.ok() || ProgramOf(static_cast<pid_t>(*pid)) != "pinka-agent") return;
  spdlog::info("the agent of tier {} outlived its pinkad; its successor takes over", tier);
  kill(static_cast<pid_t>(*pid), SIGTERM);
  WaitGone(static_cast<pid_t>(*pid), 10);
}

void LocalAgents::Start(const LocalAgent& agent) {
  if (agents_.contains(agent.tier)) return;
  EndPredecessor(agent.tier);
  Running& running = agents_[agent.tier];
  running.agent = agent;
  Spawn(running, SystemClock().Monotonic());
}

void LocalAgents::Spawn(Running& running, Duration now) {
  std::vector<char*> argv;
  for (std::string& word : running.agent.argv) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = StateDir(running.agent.tier) + ".log";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);  // a Ctrl-C at the terminal is for pinkad alone
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&running.pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  running.started = now;
  running.again = error == 0 ? Duration() : now + kPause;
  if (error != 0) {
    running.pid = 0;
    spdlog::error("{} could not be started: {}", argv[0], strerror(error));
    return;
  }
  (void)WriteFileDurably(StateDir(running.agent.tier) + ".pid", std::to_string(running.pid));
}

void LocalAgents::Ended(pid_t pid, Duration now) {
  for (auto& [tier, running] : agents_) {
    if (running.pid != pid) continue;
    spdlog::warn("the agent of tier {} ended; it starts again", tier);
    running.pid = 0;
    running.again = now + kPause;
  }
}

void LocalAgents::Tend(Duration now) {
  for (auto& [tier, running] : agents_) {
    if (running.pid == 0 && running.again <= now) Spawn(running, now);
  }
}

void LocalAgents::StopAll() {
  for (auto& [tier, running] : agents_) {
    if (running.pid > 0) kill(running.pid, SIGTERM);
  }
  for (auto& [tier, running] : agents_) {
    if (running.pid <= 0) continue;
    WaitGone(running.pid, 15);
    waitpid(running.pid, nullptr, WNOHANG);
    (void)RemoveTree(StateDir(tier) + ".pid");
  }
  agents_.clear();
}

}  // namespace pinka
