#include "tests/support/postgres.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/check.h"
#include "base/file.h"
#include "db/connection.h"
#include "db/migrate.h"

namespace pinka::testing {
namespace {

std::string MakeDirectory() {
  char path[] = "/tmp/pinka-test-XXXXXX";
  PINKA_CHECK(mkdtemp(path) != nullptr, "no temporary directory");
  PINKA_CHECK(chmod(path, 0755) == 0, "chmod");  // the database's user must reach it
  return path;
}

// A child that waits for the end of this program, and then stops the server and removes the
// directory: it sees the pipe close also after an abort.
void CleanUpAtTheEnd(const db::Cluster& cluster, const std::string& directory) {
  int ends[2];
  PINKA_CHECK(pipe(ends) == 0, "pipe");
  pid_t pid = fork();
  PINKA_CHECK(pid >= 0, "fork");
  if (pid > 0) {
    close(ends[0]);
    return;  // the writing end stays open until the program ends
  }
  setsid();
  for (int fd = 0; fd < 1024; ++fd) {
    if (fd != ends[0]) close(fd);
  }
  char byte;
  while (read(ends[0], &byte, 1) > 0) {
  }
  db::Cluster mine = cluster;
  if (pid_t left = mine.Stop().ok() ? 0 : mine.Postmaster(); left > 0) kill(left, SIGQUIT);
  _exit(RemoveTree(directory).ok() ? 0 : 1);
}

db::Connection Admin() { return db::Connection(TestCluster().Url("postgres"), ""); }

void Must(const Status& status) { PINKA_CHECK(status.ok(), Message(status)); }

std::string NewDatabase(const std::string& from) {
  static int count = 0;
  std::string name = "test_" + std::to_string(++count);
  Must(Admin().Script("CREATE DATABASE " + name + " TEMPLATE " + from));
  return TestCluster().Url(name);
}

}  // namespace

db::Cluster& TestCluster() {
  static db::Cluster* cluster = [] {
    std::string directory = MakeDirectory();
    StatusOr<db::Cluster> started = db::Cluster::Start({.directory = directory + "/data"});
    PINKA_CHECK(started.ok(), Message(started.status()));
    CleanUpAtTheEnd(*started, directory);
    return new db::Cluster(*std::move(started));
  }();
  return *cluster;
}

std::string EmptyDatabase() { return NewDatabase("template0"); }

std::string FreshDatabase() {
  static const bool migrated = [] {
    Must(Admin().Script("CREATE DATABASE migrated"));
    db::Connection connection(TestCluster().Url("migrated"), "session_store");
    Must(db::MigrateUp(&connection));
    return true;
  }();
  PINKA_CHECK(migrated, "no template");
  return NewDatabase("migrated");
}

void StopSyncing() {
  for (const char* setting : {"fsync", "full_page_writes", "synchronous_commit"})
    Must(Admin().Script(std::string("ALTER SYSTEM SET ") + setting + " = off"));
  Must(Admin().Script("SELECT pg_reload_conf()"));
}

void DropDatabase(const std::string& url) {
  const size_t at = url.rfind("test_");
  PINKA_CHECK(at != std::string::npos, "no database of a test: " + url);
  const std::string name = url.substr(at, url.find_first_of("' ", at) - at);
  Must(Admin().Script("DROP DATABASE " + name));
}

}  // namespace pinka::testing
