#include "agent/supervisor/account.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace pinka {

StatusOr<Account> FindAccount(const std::string& name) {
  if (name.empty()) return Account{};
  const passwd* entry = getpwnam(name.c_str());  // the supervisor has one thread
  if (entry == nullptr) return NotFound(fmt::format("there is no account {} on this box", name));
  Account account{.change = true, .uid = entry->pw_uid, .gid = entry->pw_gid, .groups = {}};
  int count = 0;
  getgrouplist(name.c_str(), account.gid, nullptr, &count);
  account.groups.resize(static_cast<size_t>(count));
  if (getgrouplist(name.c_str(), account.gid, account.groups.data(), &count) < 0) {
    return Unavailable(fmt::format("the groups of {} cannot be read", name));
  }
  return account;
}

bool BecomeAccount(const Account& account) {
  if (account.change) {
    if (setgroups(account.groups.size(), account.groups.data()) != 0) return false;
    if (setresgid(account.gid, account.gid, account.gid) != 0) return false;
    if (setresuid(account.uid, account.uid, account.uid) != 0) return false;
  }
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

}  // namespace pinka
