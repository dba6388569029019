// pinka-supervisor DIR: runs the attempt whose order lies in DIR, and outlives whoever started it.
//
// Returns at once, with 0 when the claim on the attempt is decided (ours, or somebody else's: both
// are fine) and 1 when it could not be; the work goes on in a process of its own session.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "agent/process/cgroup.h"
#include "agent/process/kill_point.h"
#include "agent/process/proc.h"
#include "agent/record/attempt_dir.h"
#include "agent/supervisor/supervise.h"

namespace pinka {
namespace {

constexpr char kClaimed = 'c';

void WriteText(const char* path, const std::string& text) {
  Fd fd(open(path, O_WRONLY | O_CLOEXEC));
  if (fd.valid()) [[maybe_unused]]
    ssize_t n = write(fd.get(), text.data(), text.size());
}

std::vector<std::string> CgroupPaths(const Order& order) {
  return Cgroup::PathsFor("pinka-" + order.lab_run + "-" + ToString(order.attempt));
}

// Nothing of the starter's may stay open in a job. Rented boxes run kernels older than close_range.
void CloseInherited() {
  if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
  long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < most; ++fd) close(fd);
}

Fd OpenControl(const AttemptDir& dir) {
  mkfifo(dir.ControlPath().c_str(), 0600);  // there already: an earlier try died before the claim
  // Open for writing as well, or every poke that comes and goes would look like an end of file.
  return Fd(open(dir.ControlPath().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

// Away from the starter: own session, adopter of orphans, the last to be killed for memory.
void StandAlone() {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  WriteText("/proc/self/oom_score_adj", "-900");
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
}

int Supervise(const AttemptDir& dir, const Order& order, Fd decided) {
  StandAlone();
  KillPoint("supervisor.detached");
  Fd control = OpenControl(dir);
  Cgroup cgroup(CgroupPaths(order));
  ProcessId self = Self();
  StatusOr<bool> won = dir.TakeClaim({.pid = self.pid,
                                      .start_ticks = self.start_ticks,
                                      .boot_id = BootId(),
                                      .cgroups = cgroup.paths()});
  if (!won.ok()) {
    std::fprintf(stderr, "pinka-supervisor: %s\n", Message(won.status()).c_str());
    return 1;
  }
  KillPoint("supervisor.launched");
  [[maybe_unused]] ssize_t n = write(decided.get(), &kClaimed, 1);
  decided = Fd();
  if (!*won) return 0;  // the attempt is somebody else's, or never to be started
  return Supervisor(dir, order, cgroup, std::move(control)).Run() ? 0 : 1;
}

int Start(const std::string& path) {
  AttemptDir dir(path);
  StatusOr<Order> order = dir.ReadOrder();
  if (!order.ok()) {
    std::fprintf(stderr, "pinka-supervisor: %s\n", Message(order.status()).c_str());
    return 1;
  }
  ArmKillPoints(ToString(order->attempt));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 1;
  Fd decided(ends[0]);
  Fd decide(ends[1]);
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) return Supervise(dir, *order, std::move(decide));
  decide = Fd();
  char answer = 0;
  return read(decided.get(), &answer, 1) == 1 && answer == kClaimed ? 0 : 1;
}

}  // namespace
}  // namespace pinka

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: pinka-supervisor ATTEMPT_DIRECTORY (started by pinka-agent)\n");
    return 2;
  }
  pinka::CloseInherited();
  return pinka::Start(argv[1]);
}
