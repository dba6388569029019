// What an agent says of its node: the box, its cards, and every attempt that it has a record of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/rows.h"

namespace pinka {

// One record, as the box has it.
struct ObservedAttempt {
  AttemptId id;
  enum class State : int8_t {
    kAbsent,
    kStarting,
    kRunning,
    kStopping,
    kEnded
  } state = State::kStarting;
  int64_t metered_ms = 0;
  int64_t overrun_ms = 0;
  int64_t log_bytes = 0;
  EndReason end_reason = EndReason::kNone;
  bool exited = false;
  int32_t exit_code = 0;
  int32_t signal = 0;
  std::string message;
  bool survivors = false;
  int64_t checkpoint_ms = 0;
  int64_t peak_memory = 0;
  int64_t peak_gpu_memory = 0;
};

struct NodeFacts {
  TierId tier;
  int32_t cpus = 0;
  int64_t memory = 0;
  int32_t units = 0;  // 0: derived from gpus or cpus and the tier's unit
  std::vector<Gpu> gpus;
  bool simulated = false;
  int32_t cuda = 0;  // the newest that its driver serves; 0: not known
};

// The newest check of a node's hardware, as its agent tells it.
struct HardwareReport {
  std::string id;
  HardwareVerdict verdict = HardwareVerdict::kNone;
  std::string why;
  std::string cause;     // join, demand, random, return
  int64_t demand = 0;    // the newest demand that it answers
  std::string evidence;  // "" once it has been told
};

// An agent's registration and news: the whole of what it observes. A member of `attempts` that
// core does not know is answered with kForget by way of `unknown`.
struct AgentReport {
  std::string node;  // the name that the agent's token is bound to
  std::string instance;
  int64_t incarnation = 0;
  std::string boot_id;
  std::string lab_run;  // of its records; "": it has none
  NodeFacts facts;
  std::vector<ObservedAttempt> attempts;
  bool draining = false;
  std::string unfit;                         // why it takes nothing new just now
  std::optional<HardwareReport> hardware{};  // none: nothing to check there
  std::vector<AttemptId> gone;  // once known to it, no longer named: it has forgotten them
};

}  // namespace pinka
