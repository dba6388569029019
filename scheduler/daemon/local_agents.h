// The local agents of `pinkad up`: one process a tier, started when the scheduler asks, started
// again when it dies, stopped last. Used by one thread, of the process that keeps its rights.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace pinka {

struct LocalAgent {
  std::string tier;
  std::string node;
  std::vector<std::string> argv;  // of pinka-agent, program first
};

class LocalAgents {
 public:
  // `directory` holds one state directory a tier and, beside it, the process id of its agent: an
  // agent that outlived its pinkad is ended first, so that its successor adopts its jobs.
  explicit LocalAgents(std::string directory) : directory_(std::move(directory)) {}

  std::string StateDir(const std::string& tier) const { return directory_ + "/" + tier; }
  void Start(const LocalAgent& agent);
  // A child of this process has ended: if it was an agent it starts again after a pause.
  void Ended(pid_t pid, Duration now);
  // Starts what is due again.
  void Tend(Duration now);
  // TERM to all, and waits for them.
  void StopAll();

 private:
  struct Running {
    LocalAgent agent;
    pid_t pid = 0;
    Duration started;
    Duration again;  // when to start it again; zero: it runs
  };
  void Spawn(Running& running, Duration now);
  void EndPredecessor(const std::string& tier) const;

  std::string directory_;
  std::map<std::string, Running> agents_;
};

}  // namespace pinka
