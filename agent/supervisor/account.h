// The Unix account that a job runs as. As root a job becomes an account without rights; everybody
// else's jobs are their own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace pinka {

struct Account {
  bool change = false;  // false: the job stays what the supervisor is
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

// `name` "": no change.
StatusOr<Account> FindAccount(const std::string& name);
// In the child, before exec: groups, then gid, then uid, then no-new-privs. False and errno.
bool BecomeAccount(const Account& account);

}  // namespace pinka
