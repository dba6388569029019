#include "agent/process/proc.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "base/file.h"

namespace pinka {
namespace {

// The n-th blank-separated word; "" past the end.
std::string_view Word(std::string_view text, int n) {
  size_t at = 0;
  for (; n > 0; --n) {
    at = text.find(' ', at);
    if (at == std::string_view::npos) return {};
    ++at;
  }
  return text.substr(at, text.find(' ', at) - at);
}

template <class Int>
bool ParseWhole(std::string_view text, Int* out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

int PidfdOpen(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

std::optional<ProcessInfo> ParseStat(std::string_view stat) {
  size_t open = stat.find('(');
  size_t close = stat.rfind(')');  // the name may hold ')' itself
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  if (open < 1 || close + 2 >= stat.size()) return std::nullopt;
  ProcessInfo info;
  if (!ParseWhole(stat.substr(0, open - 1), &info.id.pid)) return std::nullopt;
  std::string_view rest = stat.substr(close + 2);  // from field 3, the state
  info.state = rest[0];
  if (!ParseWhole(Word(rest, 1), &info.parent)) return std::nullopt;
  if (!ParseWhole(Word(rest, 17), &info.threads)) return std::nullopt;
  if (!ParseWhole(Word(rest, 19), &info.id.start_ticks)) return std::nullopt;
  return info;
}

std::optional<ProcessInfo> ReadProcess(pid_t pid) {
  StatusOr<std::string> stat = ReadFile(fmt::format("/proc/{}/stat", pid));
  if (!stat.ok()) return std::nullopt;
  return ParseStat(*stat);
}

std::vector<ProcessInfo> ListProcesses() {
  std::vector<ProcessInfo> all;
  std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return all;
  while (dirent* entry = readdir(proc.get())) {
    pid_t pid = 0;
    if (!ParseWhole(std::string_view(entry->d_name), &pid)) continue;
    if (std::optional<ProcessInfo> info = ReadProcess(pid)) all.push_back(*info);
  }
  return all;
}

ProcessId Self() {
  std::optional<ProcessInfo> info = ReadProcess(getpid());
  return info ? info->id : ProcessId{.pid = getpid()};
}

bool IsAlive(const ProcessId& id) {
  std::optional<ProcessInfo> info = ReadProcess(id.pid);
  return info && info->id == id && !info->Dead();
}

bool EnvironmentHolds(std::string_view environ_bytes, const std::vector<std::string>& entries) {
  std::vector<bool> found(entries.size());
  while (!environ_bytes.empty()) {
    std::string_view entry = environ_bytes.substr(0, environ_bytes.find('\0'));
    for (size_t i = 0; i < entries.size(); ++i) found[i] = found[i] || entries[i] == entry;
    environ_bytes.remove_prefix(std::min(entry.size() + 1, environ_bytes.size()));
  }
  return std::all_of(found.begin(), found.end(), [](bool yes) { return yes; });
}

bool HasEnvironment(pid_t pid, const std::vector<std::string>& entries) {
  StatusOr<std::string> bytes = ReadFile(fmt::format("/proc/{}/environ", pid));
  return bytes.ok() && EnvironmentHolds(*bytes, entries);
}

std::string NameOf(pid_t pid) {
  StatusOr<std::string> name = ReadFile(fmt::format("/proc/{}/comm", pid));
  if (!name.ok()) return "";
  while (!name->empty() && name->back() == '\n') name->pop_back();
  return *name;
}

bool StatusCatches(const std::string& status, int signal) {
  constexpr std::string_view kCaught = "\nSigCgt:";
  size_t at = status.find(kCaught);
  if (at == std::string::npos || signal < 1 || signal > 64) return false;
  uint64_t mask = std::strtoull(status.c_str() + at + kCaught.size(), nullptr, 16);
  return (mask >> (signal - 1) & 1) != 0;
}

bool CatchesSignal(pid_t pid, int signal) {
  StatusOr<std::string> status = ReadFile(fmt::format("/proc/{}/status", pid));
  return status.ok() && StatusCatches(*status, signal);
}

int OpenPidfd(const ProcessId& id) {
  int fd = PidfdOpen(id.pid);
  if (fd < 0) return -1;
  // The descriptor is of whoever has the pid now: only the same start time makes it ours.
  if (std::optional<ProcessInfo> info = ReadProcess(id.pid); info && info->id == id) return fd;
  close(fd);
  return -1;
}

bool SendSignal(const ProcessId& id, int signal) {
  Fd fd(OpenPidfd(id));
  if (fd.valid()) return syscall(SYS_pidfd_send_signal, fd.get(), signal, nullptr, 0) == 0;
  if (errno != ENOSYS) return false;
  std::optional<ProcessInfo> info = ReadProcess(id.pid);
  return info && info->id == id && kill(id.pid, signal) == 0;
}

std::string BootId() {
  StatusOr<std::string> kernel = ReadFile("/proc/sys/kernel/random/boot_id");
  std::string id = kernel.ok() ? *kernel : std::string("unknown");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  std::optional<ProcessInfo> init = ReadProcess(1);
  return fmt::format("{}:{}", id, init ? init->id.start_ticks : 0);
}

}  // namespace pinka
