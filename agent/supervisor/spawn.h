// Starts the job's main process and tells apart "it could not be started" from "it ended with 126
// or 127". Single-threaded callers only: it forks.
#pragma once

#include <sys/types.h>

#include <string>

#include "agent/process/cgroup.h"
#include "agent/record/order.h"
#include "agent/supervisor/account.h"
#include "base/status.h"

namespace pinka {

struct Spawned {
  pid_t pid = 0;        // 0: nothing runs
  std::string failure;  // "could not start: ...", for people
};

// The scratch, output and other directories, and the script. Errors are the box's, not the job's.
Status PrepareHome(const Order& order, const Account& account);

// Own session, default signals, stdin /dev/null, stdout and stderr into `log_fd`, the control
// group if there is one, the account, the directory, then exec; returns when exec has happened or
// failed. `log_fd` stays the caller's.
Spawned Spawn(const Order& order, const Account& account, const Cgroup& cgroup, int log_fd);

}  // namespace pinka
