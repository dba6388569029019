// All processes of one attempt, however they got away from their parents. A process belongs to the
// tree if it sits in the job's control group, carries the attempt's marks in its environment, or
// descends from the supervisor or from a process that belongs. Signals go to a pid and its start
// time together, so a neighbour that got a used pid is never hit.
// Not thread-safe per object.
#pragma once

#include <string>
#include <vector>

#include "agent/process/cgroup.h"
#include "agent/process/proc.h"

namespace pinka {

// The environment entries that mark an attempt's processes: the attempt id is unique only within
// a lab run, and one box may serve several labs.
std::vector<std::string> AttemptMarks(const std::string& lab_run, const std::string& attempt);

class JobTree {
 public:
  // `supervisor`: its descendants belong; pid 0 for none (it is gone).
  JobTree(std::vector<std::string> marks, Cgroup cgroup, ProcessId supervisor);

  // What is alive now, without the caller and the supervisor, in order of pid.
  std::vector<ProcessId> List() const;
  void Signal(int signal) const;
  // Only to those that have a handler for it, and to `only` alone where it is not 0.
  void Warn(int signal, pid_t only) const;
  // Stops everything that is found until a listing has nothing new, then kills it all. True: this
  // pass found nothing. Call again, a moment later, until it does.
  bool KillPass() const;
  Cgroup& cgroup() { return cgroup_; }
  const Cgroup& cgroup() const { return cgroup_; }

 private:
  std::vector<std::string> marks_;
  Cgroup cgroup_;
  ProcessId supervisor_;
};

// Passes until one finds nothing, or `patience_ms` are over: false, something cannot be killed.
// For trees whose supervisor is gone. Blocks.
bool KillWholeTree(const JobTree& tree, int64_t patience_ms);

}  // namespace pinka
