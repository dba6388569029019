#include "tests/support/agent/attempt_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "agent/process/job_tree.h"

namespace pinka::test {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const auto& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string FreshLabRun() {
  static std::atomic<int> next{0};
  return fmt::format("test-{}-{}", getpid(), next++);
}

}  // namespace

int RunProgram(const std::vector<std::string>& argv, const std::vector<std::string>& env) {
  pid_t pid = 0;
  int error = posix_spawn(&pid, argv[0].c_str(), nullptr, nullptr, Pointers(argv).data(),
                          Pointers(env).data());
  if (error != 0) return -1;
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

AttemptRun::AttemptRun(std::vector<std::string> argv)
    : dir_(temp_.path() + "/attempt"), marks_(temp_.Shared("marks")) {
  order.lab_run = FreshLabRun();
  order.attempt = {.job = JobId(17), .index = 0, .number = 1};
  order.argv = std::move(argv);
  order.home = temp_.path() + "/home";
  order.grace_ms = 500;
  order.env = {"PATH=/usr/local/bin:/usr/bin:/bin", "MARKS=" + marks_};
  for (const auto& mark : AttemptMarks(order.lab_run, ToString(order.attempt))) {
    order.env.push_back(mark);
  }
}

AttemptRun::~AttemptRun() {
  ProcessId supervisor = Supervisor();
  if (supervisor.pid > 0) SendSignal(supervisor, SIGKILL);
  std::optional<Claim> claim = dir_.ReadClaim();
  JobTree tree(AttemptMarks(order.lab_run, ToString(order.attempt)),
               Cgroup(claim ? claim->cgroups : std::vector<std::string>()), {});
  KillWholeTree(tree, 5'000);
  tree.cgroup().Remove();
}

int AttemptRun::Start() {
  dir_.Create().IgnoreError();
  dir_.WriteOrder(order).IgnoreError();
  std::vector<std::string> env;
  if (!crash_at.empty()) env.push_back("PINKA_TEST_CRASH_AT=" + crash_at);
  return RunProgram({Program("pinka-supervisor"), dir_.path()}, env);
}

bool AttemptRun::WaitStarted() const { return WaitForFile(dir_.path() + "/started"); }

void AttemptRun::Stop(const std::string& reason, int64_t grace_ms, int64_t lead_ms) const {
  dir_.WriteStop({.reason = reason, .grace_ms = grace_ms, .lead_ms = lead_ms}).IgnoreError();
  dir_.Wake();
}

std::optional<Exit> AttemptRun::WaitExit(int seconds) const {
  WaitForFile(dir_.path() + "/exit", seconds);
  return dir_.ReadExit();
}

Exit AttemptRun::Finish() {
  if (Start() != 0) return {.reason = "the supervisor could not be started"};
  std::optional<Exit> exit = WaitExit(60);
  return exit ? *exit : Exit{.reason = "there was no end"};
}

ProcessId AttemptRun::Supervisor() const {
  std::optional<Claim> claim = dir_.ReadClaim();
  if (!claim) return {};
  return {.pid = static_cast<pid_t>(claim->pid), .start_ticks = claim->start_ticks};
}

std::vector<ProcessId> AttemptRun::Left() const {
  return JobTree(AttemptMarks(order.lab_run, ToString(order.attempt)), Cgroup(), {}).List();
}

}  // namespace pinka::test
