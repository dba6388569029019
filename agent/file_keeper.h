// Brings what attempts write into the lab's store: each generation of their checkpoints while they
// run, and after the end the last generation and the output. Until that is done the end is not
// reported: the next attempt, on whichever node, finds the newest generation.
//
// A generation counts once the scheduler has it whole (KeepFiles). What cannot be kept for good
// (a store without room, too many files) is told in the end's message; while the scheduler is away
// it waits.
// One thread calls it; the work is done by others.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "agent/record/kept.h"
#include "agent/records.h"
#include "agent/scheduler_client.h"
#include "agent/state_dir.h"
#include "agent/work.h"

namespace pinka {

class FileKeeper {
 public:
  // Blobs of one attempt on their way together: the store syncs each before it answers.
  static constexpr int kBlobsAtOnce = 4;

  // `finished` is called from a worker after each step.
  FileKeeper(const StateDir& state, SchedulerClient* client, std::function<void()> finished);

  // One observation of an attempt of this lab run: fills what is known of its files, and begins
  // what there is to do. `reachable`: the scheduler answers, so a failure is the store's.
  void Observe(Observation* seen, bool reachable);
  // Only those that `seen` names are remembered.
  void Forget(const std::vector<Observation>& seen);

 private:
  struct Known {
    Kept kept;
    bool read = false;
    int64_t restored = -1;
    std::string home;
    Duration look_at;        // CLOCK_BOOTTIME
    Duration trouble_since;  // zero: none
  };
  struct Task;  // what one step works with

  bool HasWork(const Known& known, const Observation& seen) const;
  Known& Load(const Observation& seen);
  Duration Step(const Task& task);
  Status KeepNewest(const Task& task, Kept* kept);
  Status KeepOutput(const Task& task);
  // Nothing is kept of what is not `unchanged` once it was read.
  Status Send(const Task& task, const std::string& directory,
              const std::function<bool()>& unchanged, v1::KeepFilesRequest request);
  Duration After(const Task& task, Kept kept, const Status& status);

  const StateDir& state_;
  SchedulerClient* client_;
  std::map<AttemptKey, Known> known_;
  Work work_;
};

}  // namespace pinka
