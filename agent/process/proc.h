// Processes as /proc shows them. A process is a pid and its start time together: a pid alone is
// used again by the kernel. Thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinka {

struct ProcessId {
  pid_t pid = 0;
  int64_t start_ticks = 0;
  friend auto operator<=>(const ProcessId&, const ProcessId&) = default;
};

struct ProcessInfo {
  ProcessId id;
  pid_t parent = 0;
  char state = '?';  // R S D T Z ...
  int64_t threads = 1;
  // A process whose first thread has left shows as Z while the others work on.
  bool Dead() const { return (state == 'Z' && threads <= 1) || state == 'X'; }
};

std::optional<ProcessInfo> ReadProcess(pid_t pid);
// Parses one line of /proc/PID/stat; the command name may hold blanks and parentheses.
std::optional<ProcessInfo> ParseStat(std::string_view stat);
std::vector<ProcessInfo> ListProcesses();
ProcessId Self();

// Running (not a zombie), and the same process.
bool IsAlive(const ProcessId& id);
// The environment it was started with holds every one of `entries` ("NAME=value"). False where it
// cannot be read: such a process belongs to somebody else.
bool HasEnvironment(pid_t pid, const std::vector<std::string>& entries);
// The same on the bytes of /proc/PID/environ.
bool EnvironmentHolds(std::string_view environ_bytes, const std::vector<std::string>& entries);

// As the kernel shows it, 15 bytes at most; "" where it is gone.
std::string NameOf(pid_t pid);
// It has a handler for `signal`: sending it cannot end it.
bool CatchesSignal(pid_t pid, int signal);
// The same on the text of /proc/PID/status.
bool StatusCatches(const std::string& status, int signal);

// Sends `signal` to exactly this process, through a pidfd where the kernel has them. False: it is
// gone, or may not be signalled.
bool SendSignal(const ProcessId& id, int signal);
// A descriptor that becomes readable when the process ends; -1 where it is gone.
int OpenPidfd(const ProcessId& id);

// The kernel's boot_id and the start time of pid 1 of our pid namespace: rented boxes are
// containers, and one that was started again is another machine to us.
std::string BootId();

}  // namespace pinka
