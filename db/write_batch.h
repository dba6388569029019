// A batch as the statements that write it: the leader's move first, then one statement for each
// table that has rows, parents before children. What the store knows to be there is left out.
#pragma once

#include <vector>

#include "db/connection.h"
#include "db/known.h"
#include "db/store.h"

namespace pinka::db {

// Asks the server for the shape of its tables, once a connection; fails where it is away.
StatusOr<std::vector<Connection::Command>> WriteBatch(const Batch& batch, const Changes& changes,
                                                      const Known& known, Connection* connection);

}  // namespace pinka::db
