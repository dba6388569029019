// Reads the attempt directories: what each attempt is doing, for core to decide on and for the
// scheduler to be told.
// Not thread-safe; it remembers what cannot change any more, so that a scan of many ended attempts
// costs nothing.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/records.h"
#include "agent/process/proc.h"
#include "agent/record/attempt_dir.h"
#include "agent/state_dir.h"

namespace pinka {

using AttemptKey = std::pair<std::string, AttemptId>;  // lab run, attempt

struct Observation {
  Record record;
  ProcessId supervisor;  // pid 0: none
  bool has_exit = false;
  Exit exit;  // where has_exit
  int64_t metered_ms = 0;
  int64_t peak_memory = 0;      // bytes
  int64_t peak_gpu_memory = 0;  // bytes, of the fullest of its cards; 0: not known
  int64_t log_bytes = 0;
  int64_t started_at_us = 0;
  // Of its files (file_keeper.h).
  int64_t generations = 0;    // of checkpoints that it wrote and that are kept
  int64_t checkpoint_ms = 0;  // its meter at the newest of them
  std::string files_message;  // at the end: what could not be kept, and why

  AttemptKey key() const { return {record.lab_run, record.attempt}; }
};

class Records {
 public:
  explicit Records(const StateDir& state) : state_(state), boot_id_(BootId()) {}

  // All attempts on this box, of all lab runs, by lab run and attempt.
  std::vector<Observation> Scan();

 private:
  Observation Look(const AttemptKey& key);
  void LookAtLife(const AttemptDir& dir, const Claim& claim, Observation* seen) const;
  void LookAtOrder(const AttemptKey& key, const AttemptDir& dir, Record* record);

  const StateDir& state_;
  std::string boot_id_;
  std::map<AttemptKey, Observation> over_;
  // What core asks of an order, which does not change.
  struct Ordered {
    std::vector<std::string> gpu_uuids;
    Duration grace;
  };
  std::map<AttemptKey, Ordered> orders_;
};

}  // namespace pinka
