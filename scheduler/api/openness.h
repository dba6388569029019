// What a member may see of another member's job (semantics.md 10): one table, used by every service
// and by its test. Owners and admins see everything, but values of the environment are the owner's.
#pragma once

#include "scheduler/core/types.h"

namespace pinka::api {

enum class JobPart : int8_t {
  kQueue,    // in lists: id, owner, tier, units, state, times, position
  kById,     // `show`, `why`, `wait`: that the job exists at all
  kText,     // name and comment
  kCommand,  // argv, directory, names of variables
  kEnv,      // values of variables
  kLogs,
  kMoney,  // charges and holds
};
inline constexpr int kJobParts = 7;

bool OthersMaySee(Openness openness, JobPart part);

}  // namespace pinka::api
