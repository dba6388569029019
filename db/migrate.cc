#include "db/migrate.h"

#include <fmt/format.h>

#include <charconv>

#include "base/check.h"
#include "base/hash.h"
#include "db/sql_text.h"

namespace pinka::db {
namespace {

// "migrations/0001_create_leader.up.sql"; nothing for a file that is not a migration.
void AddFile(const SqlFile& file, std::vector<Migration>* out) {
  constexpr std::string_view kFolder = "migrations/";
  if (!file.path.starts_with(kFolder)) return;
  std::string_view rest = file.path.substr(kFolder.size());
  int version = 0;
  std::from_chars(rest.data(), rest.data() + 4, version);
  PINKA_CHECK(version >= 1 && rest.size() > 5 && rest[4] == '_', "bad name: " + std::string(rest));
  if (out->size() < static_cast<size_t>(version)) out->resize(static_cast<size_t>(version));
  Migration& migration = (*out)[static_cast<size_t>(version) - 1];
  const std::string name(rest.substr(5, rest.find('.') - 5));
  PINKA_CHECK(migration.version == 0 || migration.name == name, "two of a number: " + name);
  migration.version = version;
  migration.name = name;
  (rest.ends_with(".up.sql") ? migration.up : migration.down) = file.text;
}

std::vector<Migration> ReadMigrations() {
  std::vector<Migration> all;
  for (const SqlFile& file : SqlFiles()) AddFile(file, &all);
  for (Migration& migration : all) {
    PINKA_CHECK(!migration.up.empty() && !migration.down.empty(),
                "a migration is missing or has only one direction");
    migration.checksum = Sha256Hex(migration.up + '\0' + migration.down);
  }
  return all;
}

// How many migrations the database has; Internal where they are not ours.
StatusOr<size_t> Applied(Connection* connection) {
  StatusOr<Result> exists = connection->Exec("has_schema_migrations");
  if (!exists.ok()) return exists.status();
  Row exists_row(*exists);
  if (!exists_row.Next() || !exists_row.Bool()) return 0;
  StatusOr<Result> history = connection->Exec("applied_migrations");
  if (!history.ok()) return history.status();
  size_t count = 0;
  for (Row row(*history); row.Next(); ++count) {
    int64_t version = row.Int();
    std::string name = row.Text();
    std::string checksum = row.Text();
    if (count >= Migrations().size()) {
      return Internal(
          fmt::format("the database has migration {} ({}) and this program is older: "
                      "use the newer program",
                      version, name));
    }
    const Migration& ours = Migrations()[count];
    if (version != ours.version || name != ours.name || checksum != ours.checksum) {
      return Internal(
          fmt::format("migration {} ({}) in the database is not the one of this "
                      "program: its text has changed since it was applied",
                      version, name));
    }
  }
  return count;
}

Status InTransaction(Connection* connection, const std::string& sql, std::string_view record,
                     const Params& params) {
  Status status = connection->Script(Query("begin_batch"));
  if (status.ok()) status = connection->Script(sql);
  if (status.ok()) status = connection->Exec(record, params).status();
  if (status.ok()) return connection->Script(Query("commit"));
  if (connection->connected() && !connection->Script(Query("rollback")).ok()) {
    connection->Disconnect();
  }
  return status;
}

Status ApplyUp(Connection* connection, const Migration& migration) {
  Params params;
  params.Int32(migration.version).Text(migration.name).Text(migration.checksum);
  return InTransaction(connection, migration.up, "record_migration", params);
}

Status ApplyDown(Connection* connection, const Migration& migration) {
  Params params;
  params.Int32(migration.version);
  return InTransaction(connection, migration.down, "forget_migration", params);
}

template <class Work>
Status Locked(Connection* connection, const Work& work) {
  if (Status status = connection->Exec("lock_schema").status(); !status.ok()) return status;
  Status status = work(connection);
  Status unlocked = connection->Exec("unlock_schema").status();
  return status.ok() ? unlocked : status;
}

}  // namespace

const std::vector<Migration>& Migrations() {
  static const auto* all = new std::vector<Migration>(ReadMigrations());
  return *all;
}

Status MigrateUp(Connection* connection) {
  return Locked(connection, [](Connection* c) {
    Status status = c->Script(Query("make_schema_migrations"));
    if (!status.ok()) return status;
    StatusOr<size_t> applied = Applied(c);
    status = applied.status();
    for (size_t i = applied.value_or(0); status.ok() && i < Migrations().size(); ++i) {
      status = ApplyUp(c, Migrations()[i]);
    }
    return status;
  });
}

Status MigrateDown(Connection* connection, int version) {
  return Locked(connection, [version](Connection* c) {
    StatusOr<size_t> applied = Applied(c);
    Status status = applied.status();
    size_t i = applied.value_or(0);
    for (; status.ok() && i > static_cast<size_t>(version); --i) {
      status = ApplyDown(c, Migrations()[i - 1]);
    }
    return status;
  });
}

Status MigrateValidate(Connection* connection) {
  StatusOr<size_t> applied = Applied(connection);
  if (!applied.ok()) return applied.status();
  if (*applied == Migrations().size()) return OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("the database has {} of {} migrations: run `pinkad migrate up`", *applied,
                  Migrations().size()));
}

}  // namespace pinka::db
