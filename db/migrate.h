// The schema's own history. Migrations are compiled in, numbered without gaps, and each runs in a
// transaction of its own; what has been applied is remembered with its SHA-256.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "db/connection.h"

namespace pinka::db {

struct Migration {
  int version = 0;
  std::string name;  // "create_leader"
  std::string up;
  std::string down;
  std::string checksum;  // of both
};

const std::vector<Migration>& Migrations();

// Applies what is missing. Refuses a database whose history differs from what is compiled in: one
// that was changed, or one that is newer.
Status MigrateUp(Connection* connection);
// Takes back everything after `version`; 0 leaves an empty schema. Loses what the tables held.
Status MigrateDown(Connection* connection, int version);
// OK if the database's history is exactly what is compiled in.
Status MigrateValidate(Connection* connection);

}  // namespace pinka::db
