#include "agent/supervisor/memory_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>

#include "agent/process/limits.h"
#include "agent/process/memory.h"
#include "agent/process/oom_victim.h"
#include "base/parse.h"

namespace pinka {
namespace {

constexpr int kSeldom = 6;

}  // namespace

void MemoryWatch::Look() {
  if (int64_t counted = GroupMemory(tree_->cgroup()); counted > 0 && !Guards()) {
    peak_ = std::max(peak_, counted);
    return;
  }
  // To look at every process of the box is dear: seldom, where nothing depends on it.
  if (!Guards() && looks_++ % kSeldom != 0) return;
  MemoryUse quick = MemoryOf(tree_->List(), Sharing::kCountedEach);
  if (Guards() && quick.bytes > limit_) return Guard(quick);
  peak_ = std::max(peak_, quick.bytes);
  if (kills_ == 0) largest_ = quick.name;
}

// Shared pages count once before anybody is ended for them.
void MemoryWatch::Guard(const MemoryUse& quick) {
  MemoryUse exact = MemoryOf(tree_->List(), Sharing::kCountedOnce);
  peak_ = std::max(peak_, std::min(exact.bytes, quick.bytes));
  if (exact.bytes <= limit_ || exact.largest.pid == 0) return;
  if (!SendSignal(exact.largest, SIGKILL)) return;
  ++kills_;
  largest_ = exact.name;
}

int64_t MemoryWatch::Peak() const {
  rusage ended{};
  getrusage(RUSAGE_CHILDREN, &ended);
  return std::max<int64_t>(peak_, int64_t{ended.ru_maxrss} * 1024);
}

std::string MemoryWatch::Killed() const {
  int64_t kills = std::max(kills_, OomKills(tree_->cgroup()));
  if (kills == 0) return "";
  std::string name = kills_ > 0 ? largest_ : OomVictim(tree_->cgroup());
  if (name.empty()) name = largest_.empty() ? "a process" : largest_;
  std::string who = kills == 1
                        ? fmt::format("{} was killed for memory", name)
                        : fmt::format("{} processes were killed for memory, {} last", kills, name);
  if (limit_ == 0) return who + ": the box had none left";
  return fmt::format("{}: the job may take {}", who, FormatMemory(limit_));
}

}  // namespace pinka
