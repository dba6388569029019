// Processes of a private PostgreSQL: run one as the unprivileged user, find those that live in a
// data directory. Linux only.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace pinka::db {

// Who runs PostgreSQL, which refuses to run as root.
struct SystemUser {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

// The caller, unless that is root: then `pinka`, else `postgres`, whichever exists first.
StatusOr<SystemUser> UnprivilegedUser();

// Runs argv[0] (an absolute path) as `user` in "/" with a clean environment and no inherited
// descriptors; waits for it. Its output, or Internal with its output where it did not exit 0.
StatusOr<std::string> RunAs(const SystemUser& user, const std::vector<std::string>& argv);

// Whether `user` may enter and list `directory`.
bool CanEnter(const SystemUser& user, const std::string& directory);

// A directory with this owner and mode. Refuses one that stands there and belongs to somebody else.
Status MakeOwnDirectory(const std::string& path, const SystemUser& user, mode_t mode);

// PostgreSQL's processes whose working directory is `directory`: all of one cluster.
std::vector<pid_t> ProcessesIn(const std::string& directory);

}  // namespace pinka::db
