#include "agent/process/limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

namespace pinka {
namespace {

constexpr int64_t kPeriodUs = 100'000;  // of the kernel's cpu bandwidth

bool Write(const Cgroup& group, const char* file, const std::string& text) {
  bool written = false;
  for (const std::string& path : group.paths()) {
    Fd fd(open((path + "/" + file).c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd.valid()) continue;
    ssize_t n = write(fd.get(), text.data(), text.size());
    written |= n == static_cast<ssize_t>(text.size());
  }
  return written;
}

// The number behind `key` in the lines "KEY NUMBER" of any of the groups' files of this name.
int64_t Value(const Cgroup& group, const char* file, std::string_view key) {
  for (const std::string& path : group.paths()) {
    StatusOr<std::string> text = ReadFile(path + "/" + file);
    if (!text.ok()) continue;
    std::istringstream lines(*text);
    std::string word;
    for (int64_t value = 0; lines >> word >> value;) {
      if (word == key) return value;
    }
  }
  return 0;
}

}  // namespace

bool LimitMemory(const Cgroup& group, int64_t bytes) {
  std::string text = fmt::format("{}", bytes);
  if (Write(group, "memory.max", text)) {
    Write(group, "memory.swap.max", "0");
    return true;
  }
  bool held = Write(group, "memory.limit_in_bytes", text);
  Write(group, "memory.memsw.limit_in_bytes", text);  // only where the kernel counts swap
  return held;
}

bool LimitCpus(const Cgroup& group, int64_t cpus) {
  if (Write(group, "cpu.max", fmt::format("{} {}", cpus * kPeriodUs, kPeriodUs))) return true;
  Write(group, "cpu.cfs_period_us", fmt::format("{}", kPeriodUs));
  return Write(group, "cpu.cfs_quota_us", fmt::format("{}", cpus * kPeriodUs));
}

int64_t OomKills(const Cgroup& group) {
  int64_t v2 = Value(group, "memory.events", "oom_kill");
  return std::max(v2, Value(group, "memory.oom_control", "oom_kill"));
}

int64_t GroupMemory(const Cgroup& group) {
  if (int64_t v2 = Value(group, "memory.stat", "anon"); v2 > 0) {
    return v2 + Value(group, "memory.stat", "shmem");
  }
  return Value(group, "memory.stat", "rss") + Value(group, "memory.stat", "shmem");
}

}  // namespace pinka
