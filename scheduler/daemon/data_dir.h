// The data directory of `pinkad up` (design.md 11), and who owns what in it.
//
//   DIR          0711  so that jobs reach their scratch and nothing can be listed
//   DIR/lock           held by the one `pinkad up` that serves it
//   DIR/db       0700  PostgreSQL: its cluster, socket and log
//   DIR/logs     0700  what jobs printed
//   DIR/blobs    0700  jobs' files: code, outputs, checkpoints
//   DIR/tokens   0700  copies of tokens, 0600 each
//   DIR/agents   0711  state of the local agents
//   DIR/shared   1777  PINKA_SHARED_DIR of all local jobs, whichever account they run as
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file.h"
#include "base/status.h"

namespace pinka {

// Who the scheduler and PostgreSQL run as.
struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  bool drop = false;  // this process is root and will become that account
};

// The caller, or as root `pinka` (else `postgres`); refuses root without either, saying what makes
// one.
StatusOr<Account> SchedulerAccount();

// For good: group, supplementary groups, user. Aborts where the kernel refuses.
void BecomeAccount(const Account& account);

class DataDir {
 public:
  // --data, else /var/lib/pinka as root, else $XDG_DATA_HOME/pinka.
  static std::string Default();

  // Makes what is missing and takes the lock. AlreadyExists where another `pinkad up` serves it;
  // refuses a directory that `account` cannot reach, with the way out.
  static StatusOr<DataDir> Open(const std::string& path, const Account& account);

  const std::string& path() const { return path_; }
  std::string db() const { return path_ + "/db"; }
  std::string logs() const { return path_ + "/logs"; }
  std::string shared() const { return path_ + "/shared"; }
  std::string blobs() const { return path_ + "/blobs"; }
  std::string tokens() const { return path_ + "/tokens"; }
  std::string agents() const { return path_ + "/agents"; }

 private:
  std::string path_;
  Fd lock_;
};

}  // namespace pinka
