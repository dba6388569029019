#include "db/migrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/sql_text.h"
#include "tests/support/postgres.h"

namespace pinka::db {
namespace {

using ::testing::HasSubstr;

class Migrate : public ::testing::Test {
 protected:
  Connection db_{pinka::testing::EmptyDatabase(), "session_store"};
};

TEST_F(Migrate, GoesUpDownAndUpAgain) {
  ASSERT_TRUE(MigrateUp(&db_).ok());
  EXPECT_TRUE(MigrateValidate(&db_).ok());
  ASSERT_TRUE(MigrateDown(&db_, 0).ok());
  EXPECT_FALSE(MigrateValidate(&db_).ok());
  Status again = MigrateUp(&db_);
  EXPECT_TRUE(again.ok()) << again;
  EXPECT_TRUE(MigrateValidate(&db_).ok());
}

TEST_F(Migrate, DownLeavesNothingBehind) {
  ASSERT_TRUE(MigrateUp(&db_).ok());
  ASSERT_TRUE(MigrateDown(&db_, 0).ok());
  // What is left would be in the way of a schema of the same names.
  EXPECT_TRUE(db_.Script("DROP TABLE schema_migrations").ok());
  Status nothing = db_.Script(
      "DO $$ BEGIN IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace) OR "
      "EXISTS (SELECT FROM pg_proc WHERE pronamespace = 'public'::regnamespace) "
      "THEN RAISE 'left over'; END IF; END $$");
  EXPECT_TRUE(nothing.ok()) << nothing;
}

TEST_F(Migrate, EachStepGoesDownAndUp) {
  ASSERT_TRUE(MigrateUp(&db_).ok());
  for (int version = static_cast<int>(Migrations().size()) - 1; version >= 0; --version) {
    Status down = MigrateDown(&db_, version);
    ASSERT_TRUE(down.ok()) << version << down;
    Status up = MigrateUp(&db_);
    ASSERT_TRUE(up.ok()) << version << up;
  }
}

TEST_F(Migrate, UpTwiceChangesNothing) {
  ASSERT_TRUE(MigrateUp(&db_).ok());
  EXPECT_TRUE(MigrateUp(&db_).ok());
  EXPECT_TRUE(MigrateValidate(&db_).ok());
}

TEST_F(Migrate, RefusesAnEmptyDatabaseUntilItIsMigrated) {
  EXPECT_THAT(Message(MigrateValidate(&db_)), HasSubstr("0 of"));
}

TEST_F(Migrate, NoticesTextThatChangedAfterItWasApplied) {
  ASSERT_TRUE(MigrateUp(&db_).ok());
  ASSERT_TRUE(
      db_.Script("UPDATE schema_migrations SET checksum = repeat('0', 64) WHERE version = 2").ok());
  EXPECT_THAT(Message(MigrateValidate(&db_)), HasSubstr("migration 2 (create_lab)"));
  EXPECT_THAT(Message(MigrateUp(&db_)), HasSubstr("has changed"));
}

TEST_F(Migrate, RefusesADatabaseThatIsNewer) {
  ASSERT_TRUE(MigrateUp(&db_).ok());
  ASSERT_TRUE(
      db_.Script("INSERT INTO schema_migrations VALUES (999, 'from_the_future', '', now())").ok());
  EXPECT_THAT(Message(MigrateUp(&db_)), HasSubstr("this program is older"));
}

TEST_F(Migrate, EveryQueryPrepares) {
  ASSERT_TRUE(MigrateUp(&db_).ok());
  for (const auto& [name, text] : Queries()) {
    if (name.starts_with("session_")) continue;  // several statements, sent as a script
    Status status = db_.Prepare(name);
    EXPECT_TRUE(status.ok()) << name << ": " << status;
  }
}

}  // namespace
}  // namespace pinka::db
