// Why an attempt ended, and what follows from it: one table (semantics.md 6 and 8).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "scheduler/core/types.h"

namespace pinka {

enum class EndReason : int8_t {
  kNone,
  kExited,
  kTimeLimit,
  kOutOfMemory,
  kCancelledByUser,
  kCancelledByAdmin,
  kRunAgain,
  kBudget,
  kIdleGuard,
  kLaunchFailed,
  kStagingFailed,
  kHardwareWrong,
  kHardwareLost,
  kNodeLost,
  kNodeRebooted,
  kSupervisorLost,
  kDiskFull,
  kSpotReclaim,
  kPreempted,
  kNodeDrain,
  kWithdrawn,
};

// Who pays the seconds of an attempt. kCheckpoint: the member up to the last valid checkpoint that
// the attempt wrote, the lab after it; one that wrote none pays all.
enum class Payer : int8_t { kMember, kLab, kCheckpoint, kNobody };

// Whether the task goes on by itself.
enum class Requeue : int8_t {
  kNo,
  kInfra,  // an infrastructure restart: counted apart, at most 20
  kRetry,  // the member's own --retries or --requeue-exit
  kFree,   // at once and uncounted: nothing ever ran
};

struct EndRule {
  EndReason reason;
  std::string_view name;
  TaskState state;  // of the task if it does not go on; kExited: by exit code
  Payer payer;
  Requeue requeue;
  bool drains_node;
  std::string_view text;  // for people
};

const EndRule& RuleOf(EndReason reason);
// Whether a lab may say otherwise than the table who pays. The member's own end stays the member's,
// and of what never ran there is nothing to pay.
bool PayerIsOpen(EndReason reason);
std::span<const EndRule> EndRules();
std::string_view Name(EndReason reason);  // "Exited"; "" for kNone
std::string_view Name(Payer payer);       // "member", "lab", "checkpoint", "nobody"
bool FromName(std::string_view name, EndReason* out);
bool FromName(std::string_view name, Payer* out);

}  // namespace pinka
