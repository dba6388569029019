#include "scheduler/core/reason.h"

#include <iterator>

namespace pinka {
namespace {

// In the order of the enumerators.
constexpr std::string_view kNames[] = {"",
                                       "HeldByUser",
                                       "HeldByAdmin",
                                       "InfraHoldMaxRequeue",
                                       "BeginTime",
                                       "NightWindow",
                                       "Dependency",
                                       "ArrayTaskLimit",
                                       "TierDown",
                                       "TierForbidden",
                                       "TimeLimitAboveTier",
                                       "MemberMaxRunning",
                                       "ProjectMaxRunning",
                                       "Budget",
                                       "PackagePortion",
                                       "SmokeTestNeeded",
                                       "Reservation",
                                       "Priority",
                                       "Resources",
                                       "NoCapacity",
                                       "PriceAboveCap",
                                       "NoSuchJob",
                                       "NoSuchTask",
                                       "NoSuchTier",
                                       "NoSuchMember",
                                       "NoSuchProject",
                                       "NoSuchNode",
                                       "NoSuchAccount",
                                       "NoSuchEntry",
                                       "NotPermitted",
                                       "Conflict",
                                       "TooWide",
                                       "QueuedTasks",
                                       "NoRate",
                                       "AlreadyFinished",
                                       "NotWaiting",
                                       "BadRequest",
                                       "Insufficient",
                                       "Advice",
                                       "NodeTaken",
                                       "NodeBusy",
                                       "Stale",
                                       "Poison"};
static_assert(std::size(kNames) == static_cast<size_t>(Reason::kPoison) + 1);

}  // namespace

std::string_view Name(Reason reason) { return kNames[static_cast<size_t>(reason)]; }

bool FromName(std::string_view name, Reason* out) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] != name) continue;
    *out = static_cast<Reason>(i);
    return true;
  }
  return false;
}

}  // namespace pinka
