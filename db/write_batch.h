// A batch as the statements that write it: the leader's move first, then one statement for each
// table that has rows, parents before children.
#pragma once

#include <vector>

#include "db/connection.h"
#include "db/store.h"

namespace pinka::db {

std::vector<Connection::Command> WriteBatch(const Batch& batch, const Changes& changes);

}  // namespace pinka::db
