// The control groups of a job, where the machine lets us have some: the only handle on a process
// tree that no program can leave. One group in cgroup v2, or one in each v1 hierarchy that is of
// use (freezer to list, memory and cpu to limit, devices to hide); a v2 without controllers beside
// v1 hierarchies gives both. Everything is best effort, and JobTree does without.
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
  // The directories of one job's groups; none: the machine has none for us.
  explicit Cgroup(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  // Where groups of this name would lie: below our own groups, the one to list and kill by first.
  static std::vector<std::string> PathsFor(const std::string& name);
  // v2 gives controllers only to groups below one without processes: moves this process into a leaf
  // of its own if that is all that is in the way. Called once by a program that will make groups.
  // Under a service manager the unit says DelegateSubgroup=pinka-agent instead.
  static void MakeRoom();

  // Makes what this machine lets us make; the others are left out from then on.
  void Create();
  bool exists() const { return !paths_.empty(); }
  const std::vector<std::string>& paths() const { return paths_; }

  // For the child: writing "0" into each moves the writer in.
  std::vector<Fd> OpenProcs() const;
  std::vector<pid_t> Pids() const;  // of the groups and all below them
  void KillAll() const;             // v2 only; does nothing elsewhere
  void Remove();                    // the groups and all below them, once empty

 private:
  std::vector<std::string> paths_;
};

}  // namespace pinka
