// The control group of a job, where the machine lets us have one: the only handle on a process
// tree that no program can leave. cgroup v2 (with cgroup.kill) or a v1 hierarchy (list only);
// everything is best effort, and JobTree does without.
// Not thread-safe per object; objects of different groups are independent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file.h"

namespace pinka {

class Cgroup {
 public:
  Cgroup() = default;
  explicit Cgroup(std::string path) : path_(std::move(path)) {}

  // Where a group of this name would lie: below our own group, v2 first. "" where there is no
  // hierarchy that we may write.
  static std::string PathFor(const std::string& name);

  // False: this machine does not let us; the object is then empty.
  bool Create();
  bool exists() const { return !path_.empty(); }
  const std::string& path() const { return path_; }

  // For the child: writing "0" moves the writer in.
  Fd OpenProcs() const;
  std::vector<pid_t> Pids() const;  // of the group and all below it
  void KillAll() const;             // v2 only; does nothing elsewhere
  int64_t OomKills() const;         // processes that the kernel killed for memory; 0 if unknown
  void Remove();                    // the group and all below it, once empty

 private:
  std::string path_;
};

}  // namespace pinka
