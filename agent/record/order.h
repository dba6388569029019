// What a supervisor is told: everything it needs to run one attempt without asking anybody, ready
// made by the agent and durable before the supervisor starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/status.h"

namespace pinka {

struct Order {
  std::string lab_run;
  AttemptId attempt;

  // The job's command, byte for byte. With a script, argv[0] is only its name.
  std::vector<std::string> argv;
  std::string script;
  std::vector<std::string> env;  // the whole environment, "NAME=value"
  std::string chdir;             // empty: the scratch directory

  // Places. `home` holds scratch, notice and what else the job may touch; the rest is the agent's.
  std::string home;
  std::string account;    // the Unix account to become before exec; empty: stay
  std::string wake;       // the agent's FIFO: a byte is written at each event
  std::string heartbeat;  // a file with the CLOCK_BOOTTIME milliseconds of the last Synchronize

  int64_t restored = -1;  // the checkpoint generation that was put there before the start; -1: none

  std::vector<std::string> gpu_uuids;  // held until the record ends; the agent's bookkeeping

  int64_t time_limit_ms = 0;  // 0: none. CLOCK_BOOTTIME from exec
  int64_t grace_ms = 30'000;
  int64_t fence_ms = 0;         // 0: none
  int64_t start_by_ms = 0;      // CLOCK_BOOTTIME; an exec after that is refused. 0: no bound
  int64_t log_limit_bytes = 0;  // 0: none
  std::vector<std::string> hidden_devices;  // "MAJOR:MINOR": the box's cards that are not its own

  int64_t cpus = 0;                 // 0: no limit
  int64_t memory_bytes = 0;         // 0: no limit
  std::string signal;               // the warning, as --signal has it; "": the default
  int64_t checkpoint_every_ms = 0;  // how often it is asked to save what it has; 0: never
  std::string limit_reason;         // what a job that reaches its time limit is told; "": TimeLimit

  std::string Scratch() const { return home + "/scratch"; }
  std::string Notice() const { return home + "/notice.json"; }
  std::string Output() const { return home + "/output"; }
  std::string Checkpoints() const { return home + "/checkpoints"; }
};

std::string EncodeOrder(const Order& order);
StatusOr<Order> DecodeOrder(std::string_view bytes);

}  // namespace pinka
