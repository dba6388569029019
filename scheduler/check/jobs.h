// Jobs against their tasks (semantics.md 3 and 6): ranges and rows cover the array exactly once,
// the counts are a recount, the state is the one definition.
#pragma once

#include "scheduler/check/findings.h"

namespace pinka::check {

Status CheckJobs(db::Connection& connection, Timestamp core_now, Findings& findings);

}  // namespace pinka::check
