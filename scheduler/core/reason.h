// Every refusal and every cause of waiting, by name. The api's status table has a row for each.
#pragma once

#include <cstdint>
#include <string_view>

namespace pinka {

enum class Reason : int8_t {
  kOk,
  // Why a task waits, in the order judged (semantics.md 6).
  kHeldByUser,
  kHeldByAdmin,
  kInfraHoldMaxRequeue,
  kBeginTime,
  kNightWindow,
  kDependency,
  kArrayTaskLimit,
  kTierDown,
  kTierForbidden,
  kTimeLimitAboveTier,
  kMemberMaxRunning,
  kProjectMaxRunning,
  kBudget,
  kPackagePortion,
  kSmokeTestNeeded,
  kReservation,
  kPriority,
  kResources,
  kNoCapacity,
  kPriceAboveCap,
  // Why a request is refused.
  kNoSuchJob,
  kNoSuchTask,
  kNoSuchTier,
  kNoSuchMember,
  kNoSuchProject,
  kNoSuchNode,
  kNoSuchAccount,
  kNoSuchEntry,
  kNotPermitted,
  kConflict,
  kTooWide,
  kQueuedTasks,
  kNoRate,
  kAlreadyFinished,
  kNotWaiting,
  kBadRequest,
  kInsufficient,
  kAdvice,  // the tier refuses what will not fit, or not end in time
  kNodeTaken,
  kNodeBusy,
  kStale,
  kPoison,
};

std::string_view Name(Reason reason);  // "HeldByUser"; "" for kOk
bool FromName(std::string_view name, Reason* out);

}  // namespace pinka
