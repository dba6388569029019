#include "agent/process/oom_victim.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace pinka {

// "…oom-kill:constraint=CONSTRAINT_MEMCG,…,task_memcg=/a/GROUP,task=NAME,pid=12,uid=0": a name may
// hold commas itself.
std::string VictimIn(std::string_view record, std::string_view group_name) {
  constexpr std::string_view kGroup = "task_memcg=";
  constexpr std::string_view kTask = ",task=";
  size_t group = record.find(kGroup);
  size_t task = record.find(kTask, group == std::string_view::npos ? record.size() : group);
  size_t pid = record.rfind(",pid=");
  if (record.find("oom-kill:") == std::string_view::npos || task == std::string_view::npos ||
      pid == std::string_view::npos || pid < task + kTask.size()) {
    return "";
  }
  std::string_view path = record.substr(group + kGroup.size(), task - group - kGroup.size());
  if (path.substr(path.rfind('/') + 1) != group_name) return "";
  return std::string(record.substr(task + kTask.size(), pid - task - kTask.size()));
}

std::string OomVictim(const Cgroup& group) {
  if (!group.exists()) return "";
  std::string_view path = group.paths().front();
  std::string_view name = path.substr(path.rfind('/') + 1);
  Fd log(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string victim;
  std::array<char, 8192> record;  // as large as the kernel's largest
  while (log.valid()) {
    ssize_t n = read(log.get(), record.data(), record.size());
    if (n < 0 && (errno == EPIPE || errno == EINTR)) continue;  // overwritten under our eyes
    if (n <= 0) break;
    std::string_view text(record.data(), static_cast<size_t>(n));
    if (std::string found = VictimIn(text, name); !found.empty()) victim = found;
  }
  return victim;
}

}  // namespace pinka
