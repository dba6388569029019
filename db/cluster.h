// The private PostgreSQL of `pinkad up` and of the tests (design.md 11): one data directory, a unix
// socket, no TCP, default durability, peer authentication for its owner and root only.
//
//   DIR/pg   the cluster      DIR/run  the socket (a short directory in /tmp where the path of the
//   DIR/log  its log                   socket would be over 90 bytes)
//
// The server outlives the program that started it; a later Start adopts it. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/status.h"
#include "db/cluster_process.h"

namespace pinka::db {

class Cluster {
 public:
  struct Options {
    std::string directory;  // made where it is missing; absolute
    std::string programs = "/usr/lib/postgresql/15/bin";
  };

  // Makes the cluster where there is none, starts it where it does not run, waits until it answers,
  // makes the database `pinka`. After kill -9 of the postmaster its orphans are waited for first.
  static StatusOr<Cluster> Start(const Options& options);

  // For libpq: database `pinka`, or another one.
  std::string Url(const std::string& database = "pinka") const;
  bool adopted() const { return adopted_; }
  // 0 where it does not run.
  pid_t Postmaster() const;
  // Fast shutdown, durable, waits. One that does not run is fine.
  Status Stop();
  // Starts it again after Stop, or after it died.
  Status Restart();
  const SystemUser& user() const { return user_; }

 private:
  Cluster(Options options, SystemUser user);
  Status MakeDirectories();
  Status Initialise();
  Status Configure(const std::string& data) const;
  Status Launch();
  Status WaitForOrphans() const;
  Status WaitUntilReady(int birth) const;
  Status MakeDatabase() const;

  Options options_;
  SystemUser user_;
  std::string data_;
  std::string socket_;
  std::string log_;
  bool adopted_ = false;
};

}  // namespace pinka::db
