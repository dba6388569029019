// What the agent knows of attempts on its box, and what the scheduler wants of them, as core sees
// both. Values only; core/ reads no clock and does no I/O.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace pinka {

// One attempt directory, as the last scan found it.
struct Record {
  enum class Phase {
    kOrdered,   // an order lies there; nobody has claimed the start
    kStarting,  // claimed by a supervisor that lives
    kRunning,   // exec has happened
    kStopping,  // its end has begun
    kLost,      // claimed, but the supervisor is gone and left no end
    kEnded,     // there is an end
    kAbsent,    // there is an end: it never started and never will
  };
  std::string lab_run;
  AttemptId attempt;
  Phase phase = Phase::kOrdered;
  bool busy = false;                       // the shell is working on it: an action is under way
  std::string stop_asked;                  // the reason in `stop`; "" where none was asked
  Duration stop_asked_within;              // until KILL
  Duration stop_asked_at;                  // CLOCK_BOOTTIME; zero: not known
  Duration grace = Duration::Seconds(30);  // of its order: from TERM to KILL
  std::vector<std::string> gpu_uuids;      // held while it is not over
  bool log_done = false;                   // every byte is durable at the scheduler
  bool files_done = true;                  // and so are its files, as far as they can be
  Timestamp ended_at;                      // wall clock

  bool Over() const { return phase == Phase::kEnded || phase == Phase::kAbsent; }
  bool Live() const { return !Over(); }
};

// One line of an answer.
struct Desired {
  enum class Want { kRun, kStop, kForget };
  AttemptId attempt;
  Want want = Want::kRun;
  std::string stop_reason;
  Duration grace;  // of a stop: from TERM to KILL
  Duration lead;   // of a stop: from the warning to TERM
  Duration start_within;
  std::vector<std::string> gpu_uuids;
};

// One answer of the scheduler: all that this node should be doing.
struct Answer {
  std::string lab_run;
  std::vector<Desired> attempts;
  Duration request_sent_at;  // CLOCK_BOOTTIME of the sending of the request it answers
};

}  // namespace pinka
