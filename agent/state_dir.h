// The agent's directory: who this agent is over restarts, and the attempts it answers for.
//
//   lock  instance  incarnation  fence  heartbeat  events (FIFO)  attempts/RUN/ID/  scratch/
//
// One process at a time (flock). Not thread-safe, except where a function says so.
#pragma once

#include <cstdint>
#include <string>

#include "agent/core/answer_fence.h"
#include "agent/record/attempt_dir.h"
#include "base/file.h"
#include "base/random.h"
#include "base/status.h"
#include "base/time.h"

namespace pinka {

class StateDir {
 public:
  // Creates what is missing, takes the lock, raises the incarnation durably. `passable`: other
  // accounts may walk through `path` to scratch/ (they can list and read nothing).
  static StatusOr<StateDir> Open(const std::string& path, bool passable, Random* random);

  const std::string& path() const { return path_; }
  const std::string& instance() const { return instance_; }  // random, the same for ever
  int64_t incarnation() const { return incarnation_; }       // raised at each start
  const AnswerFence& fence() const { return fence_; }

  // True: the answer is newer than all before, which is durable now.
  bool Admit(const std::string& lab_run, int64_t term, int64_t sequence);
  // When the last successful Synchronize was sent (CLOCK_BOOTTIME): what supervisors with a fence
  // look at.
  void WriteHeartbeat(Duration boottime) const;

  std::string HeartbeatPath() const { return path_ + "/heartbeat"; }
  std::string EventsPath() const { return path_ + "/events"; }
  std::string AttemptsPath() const { return path_ + "/attempts"; }
  std::string ScratchPath() const { return path_ + "/scratch"; }
  AttemptDir Attempt(const std::string& lab_run, const AttemptId& id) const {  // thread-safe
    return AttemptDir(AttemptsPath() + "/" + lab_run + "/" + ToString(id));
  }
  // Where a record goes in one step when it is dropped. Thread-safe.
  std::string ForgottenPath(const std::string& lab_run, const AttemptId& id) const;
  int events_fd() const { return events_.get(); }

 private:
  StateDir() = default;
  Status MakePlaces(bool passable);
  void RemoveForgotten() const;
  Status LoadIdentity(Random* random);
  void LoadFence();

  std::string path_;
  Fd lock_;
  Fd events_;
  std::string instance_;
  int64_t incarnation_ = 0;
  AnswerFence fence_;
};

}  // namespace pinka
