// A PostgreSQL for tests: one private cluster a test program, made at the first use in a temporary
// directory and taken away when the program ends, however it ends; one database a test.
//
//   TEST(Store, ...) { db::Store store(testing::FreshDatabase()); ... }
#pragma once

#include <string>

#include "db/cluster.h"

namespace pinka::testing {

// The program's cluster, running.
db::Cluster& TestCluster();

// Connection string of a new database with all migrations applied.
std::string FreshDatabase();

// Takes such a one away again, for tests that make very many. Nobody is connected to it.
void DropDatabase(const std::string& url);

// For programs that make a thousand databases and whose subject is not what survives a crash.
void StopSyncing();

// Connection string of a new database without tables.
std::string EmptyDatabase();

}  // namespace pinka::testing
