#include "agent/process/memory.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/file.h"

namespace pinka {
namespace {

std::string ReadOf(pid_t pid, const char* file) {
  StatusOr<std::string> text = ReadFile(fmt::format("/proc/{}/{}", pid, file));
  return text.ok() ? *text : std::string();
}

int64_t Quick(pid_t pid) {
  std::string status = ReadOf(pid, "status");
  return KilobyteLine(status, "RssAnon") + KilobyteLine(status, "RssShmem");
}

int64_t Exact(pid_t pid) {
  std::string rollup = ReadOf(pid, "smaps_rollup");
  int64_t bytes = KilobyteLine(rollup, "Pss_Anon") + KilobyteLine(rollup, "Pss_Shmem");
  return rollup.empty() ? Quick(pid) : bytes;
}

}  // namespace

int64_t KilobyteLine(const std::string& text, const std::string& key) {
  size_t at = text.starts_with(key + ":") ? 0 : text.find("\n" + key + ":");
  if (at == std::string::npos) return 0;
  return std::strtoll(text.c_str() + text.find(':', at) + 1, nullptr, 10) * 1024;
}

MemoryUse MemoryOf(const std::vector<ProcessId>& processes, Sharing sharing) {
  MemoryUse use;
  int64_t most = 0;
  for (const ProcessId& id : processes) {
    int64_t bytes = sharing == Sharing::kCountedOnce ? Exact(id.pid) : Quick(id.pid);
    use.bytes += bytes;
    if (bytes <= most) continue;
    most = bytes;
    use.largest = id;
  }
  if (use.largest.pid != 0) use.name = NameOf(use.largest.pid);
  return use;
}

}  // namespace pinka
