// The small records of an attempt directory, each written once by one side (meter excepted).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace pinka {

// Who holds the right to start the attempt. There is one claim for ever: a supervisor's, or the
// agent's own (`pid` 0) on an attempt that must never start.
struct Claim {
  int64_t pid = 0;
  int64_t start_ticks = 0;  // of the process, from /proc/PID/stat: with the pid, an identity
  std::string boot_id;
  std::vector<std::string>
      cgroups;  // the directories of the job's control groups, where it gets any
};

struct Started {
  int64_t at_us = 0;  // wall clock, for people
};

struct Meter {
  int64_t metered_ms = 0;   // CLOCK_MONOTONIC since exec
  int64_t peak_memory = 0;  // bytes, as far as it was seen
};

// What the agent saw the job use of a card.
struct CardPeak {
  int64_t bytes = 0;
};

// The main process's own end, kept the moment it is known: the truth even if the supervisor is
// killed before it could write Exit.
struct MainEnd {
  std::optional<int> code = {};
  std::optional<int> signal = {};
  int64_t metered_ms = 0;
};

struct Stop {
  std::string reason;    // as the scheduler says it: Cancel, Preempt, ...
  int64_t grace_ms = 0;  // from TERM to KILL
  int64_t lead_ms = 0;   // from the warning to TERM
  int64_t asked_ms = 0;  // CLOCK_BOOTTIME when it was written; 0: not known
};

struct Exit {
  bool never_started = false;  // nothing was exec'd and nothing will be
  std::string reason;          // a name of the end-reason table; with never_started, why not
  std::optional<int> code = {};
  std::optional<int> signal = {};
  int64_t metered_ms = 0;
  int64_t overrun_ms = 0;
  bool survivors = false;
  std::string message = {};
  int64_t at_us = 0;  // wall clock
  int64_t log_bytes = 0;
  int64_t peak_memory = 0;  // bytes
};

std::string Encode(const Claim& claim);
std::string Encode(const Started& started);
std::string Encode(const Meter& meter);
std::string Encode(const CardPeak& peak);
std::string Encode(const MainEnd& end);
std::string Encode(const Stop& stop);
std::string Encode(const Exit& exit);

StatusOr<Claim> DecodeClaim(std::string_view bytes);
StatusOr<Started> DecodeStarted(std::string_view bytes);
StatusOr<Meter> DecodeMeter(std::string_view bytes);
StatusOr<CardPeak> DecodeCardPeak(std::string_view bytes);
StatusOr<MainEnd> DecodeMainEnd(std::string_view bytes);
StatusOr<Stop> DecodeStop(std::string_view bytes);
StatusOr<Exit> DecodeExit(std::string_view bytes);

}  // namespace pinka
