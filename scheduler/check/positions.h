// positions.sum: where members stood at the end of each settled month, from the entries anew. One
// pass over the entries of money in the order of time; at each month's end what it comes to is held
// against the stored rows.
#pragma once

#include "base/status.h"
#include "db/connection.h"
#include "scheduler/check/findings.h"

namespace pinka::check {

Status CheckPositions(db::Connection& connection, Findings& findings);

}  // namespace pinka::check
