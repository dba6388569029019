#include "agent/process/job_tree.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/clock.h"

namespace pinka {
namespace {

// A tree that forks faster than it can be stopped is killed in the state it is in.
constexpr int kStopRounds = 20;
constexpr int kPassPauseMs = 10;

// Grows `members` by all descendants of its pids, to a fixed point.
void AddDescendants(const std::vector<ProcessInfo>& all, std::set<pid_t>* members) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const ProcessInfo& process : all) {
      if (members->contains(process.parent)) grown |= members->insert(process.id.pid).second;
    }
  }
}

}  // namespace

std::vector<std::string> AttemptMarks(const std::string& lab_run, const std::string& attempt) {
  return {"PINKA_LAB_RUN=" + lab_run, "PINKA_ATTEMPT_ID=" + attempt};
}

JobTree::JobTree(std::vector<std::string> marks, Cgroup cgroup, ProcessId supervisor)
    : marks_(std::move(marks)), cgroup_(std::move(cgroup)), supervisor_(supervisor) {}

std::vector<ProcessId> JobTree::List() const {
  std::vector<ProcessInfo> all = ListProcesses();
  std::set<pid_t> members;
  for (pid_t pid : cgroup_.Pids()) members.insert(pid);
  for (const ProcessInfo& process : all) {
    if (process.id == supervisor_) members.insert(process.id.pid);
    if (HasEnvironment(process.id.pid, marks_)) members.insert(process.id.pid);
  }
  AddDescendants(all, &members);
  std::vector<ProcessId> tree;
  pid_t self = getpid();
  for (const ProcessInfo& process : all) {
    if (process.Dead() || process.id == supervisor_ || process.id.pid == self) continue;
    if (members.contains(process.id.pid)) tree.push_back(process.id);
  }
  std::sort(tree.begin(), tree.end());
  return tree;
}

void JobTree::Signal(int signal) const {
  for (const ProcessId& id : List()) SendSignal(id, signal);
}

void JobTree::Warn(int signal, pid_t only) const {
  for (const ProcessId& id : List()) {
    bool meant = only == 0 || id.pid == only;
    if (meant && CatchesSignal(id.pid, signal)) SendSignal(id, signal);
  }
}

bool JobTree::KillPass() const {
  std::vector<ProcessId> found = List();
  if (found.empty()) return true;
  std::set<ProcessId> stopped;
  for (int round = 0; round < kStopRounds; ++round) {
    bool news = false;
    for (const ProcessId& id : found) {
      if (stopped.insert(id).second) news |= SendSignal(id, SIGSTOP);
    }
    if (!news) break;
    found = List();
  }
  cgroup_.KillAll();
  for (const ProcessId& id : stopped) SendSignal(id, SIGKILL);
  return false;
}

bool KillWholeTree(const JobTree& tree, int64_t patience_ms) {
  SystemClock clock;
  int64_t until = clock.Monotonic().millis() + patience_ms;
  while (!tree.KillPass()) {
    if (clock.Monotonic().millis() >= until) return false;
    poll(nullptr, 0, kPassPauseMs);  // let the kernel finish what it was told
  }
  return true;
}

}  // namespace pinka
