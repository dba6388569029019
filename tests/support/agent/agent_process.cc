#include "tests/support/agent/agent_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "agent/process/job_tree.h"
#include "agent/record/attempt_dir.h"
#include "base/file.h"

namespace pinka::test {
namespace {

namespace fs = std::filesystem;

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const auto& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What a failed test left running.
void EndAttempt(const fs::path& path) {
  std::optional<Claim> claim = AttemptDir(path).ReadClaim();
  if (!claim || claim->pid == 0) return;
  SendSignal({.pid = static_cast<pid_t>(claim->pid), .start_ticks = claim->start_ticks}, SIGKILL);
  JobTree tree(AttemptMarks(path.parent_path().filename(), path.filename()), Cgroup(claim->cgroups),
               {});
  KillWholeTree(tree, 5'000);
  tree.cgroup().Remove();
}

}  // namespace

AgentProcess::AgentProcess(std::string server, std::vector<std::string> options)
    : server_(std::move(server)), marks_(temp_.Shared("marks")), options_(std::move(options)) {
  Spill(TokenFile(), "fake-token\n");
}

AgentProcess::~AgentProcess() {
  if (pid_ != 0) Kill();
  for (const auto& run : fs::directory_iterator(StateDir() + "/attempts")) {
    for (const auto& attempt : fs::directory_iterator(run.path())) EndAttempt(attempt.path());
  }
}

void AgentProcess::Start(const std::string& crash_at) {
  std::vector<std::string> argv = {
      Program("pinka-agent"), "--server", server_, "--token-file", TokenFile(), "--name", "n1",
      "--state-dir",          StateDir()};
  argv.insert(argv.end(), options_.begin(), options_.end());
  std::vector<std::string> env = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  if (!crash_at.empty()) env.push_back("PINKA_TEST_CRASH_AT=" + crash_at);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  Fd ready(ends[0]);
  Fd out(ends[1]);
  std::string errors = temp_.path() + "/agent.err";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, out.get(), 1);
  posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  int failed = posix_spawn(&pid_, argv[0].c_str(), &files, nullptr, Pointers(argv).data(),
                           Pointers(env).data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) pid_ = 0;
  out = Fd();
  char c = 0;
  while (read(ready.get(), &c, 1) == 1 && c != '\n') {
  }
}

int AgentProcess::Reap() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void AgentProcess::Kill() {
  kill(pid_, SIGKILL);
  Reap();
}

int AgentProcess::Terminate() {
  kill(pid_, SIGTERM);
  return WaitForEnd(pid_) ? Reap() : -1;
}

bool AgentProcess::WaitDeath(int seconds) {
  if (!WaitForEnd(pid_, seconds)) return false;
  Reap();
  return true;
}

}  // namespace pinka::test
