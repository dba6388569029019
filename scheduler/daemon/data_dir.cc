#include "scheduler/daemon/data_dir.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "fmt/format.h"

namespace pinka {
namespace {

Status Own(const std::string& path, mode_t mode, const Account& account, bool give) {
  if (Status s = MakeDirectories(path, static_cast<int>(mode)); !s.ok()) return s;
  if (chmod(path.c_str(), mode) != 0)
    return Unavailable(fmt::format("cannot set the mode of {}: {}", path, strerror(errno)));
  if (give && account.drop && chown(path.c_str(), account.uid, account.gid) != 0) {
    return Unavailable(
        fmt::format("cannot give {} to {}: {}", path, account.name, strerror(errno)));
  }
  return OkStatus();
}

// Whether the account gets to `path` through all its parents: tried by a child that has become it.
bool Reaches(const std::string& path, const Account& account) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    BecomeAccount(account);
    _exit(access(path.c_str(), X_OK) == 0 ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

StatusOr<Account> SchedulerAccount() {
  Account account;
  if (geteuid() != 0) {
    const passwd* self = getpwuid(geteuid());
    account.name = self ? self->pw_name : std::to_string(geteuid());
    account.uid = geteuid();
    account.gid = getegid();
    return account;
  }
  for (const char* name : {"pinka", "postgres"}) {
    const passwd* entry = getpwnam(name);
    if (!entry) continue;
    account.name = name;
    account.uid = entry->pw_uid;
    account.gid = entry->pw_gid;
    account.drop = true;
    return account;
  }
  return Invalid(
      "started as root, but there is no user pinka to become; run deploy/setup run, which makes "
      "it");
}

void BecomeAccount(const Account& account) {
  if (!account.drop) return;
  PINKA_CHECK(initgroups(account.name.c_str(), account.gid) == 0, "groups of the scheduler's user");
  PINKA_CHECK(setgid(account.gid) == 0, "group of the scheduler's user");
  PINKA_CHECK(setuid(account.uid) == 0, "the scheduler's user");
}

std::string DataDir::Default() {
  if (geteuid() == 0) return "/var/lib/pinka";
  if (const char* xdg = getenv("XDG_DATA_HOME"); xdg && *xdg) return std::string(xdg) + "/pinka";
  const char* home = getenv("HOME");
  return std::string(home ? home : "/tmp") + "/.local/share/pinka";
}

StatusOr<DataDir> DataDir::Open(const std::string& path, const Account& account) {
  DataDir dir;
  if (Status s = MakeDirectories(path, 0711); !s.ok()) return s;
  char resolved[PATH_MAX];
  if (!realpath(path.c_str(), resolved))
    return Unavailable(fmt::format("cannot use {}: {}", path, strerror(errno)));
  dir.path_ = resolved;
  if (Status s = Own(dir.path_, 0711, account, true); !s.ok()) return s;
  if (account.drop && !Reaches(dir.path_, account)) {
    return Invalid(fmt::format(
        "user {} cannot reach {}; choose a --data directory whose parents it may enter, such as "
        "/var/lib/pinka",
        account.name, dir.path_));
  }
  // A killed predecessor may hold it for a moment while the kernel buries it.
  auto lock = LockFile(dir.path_ + "/lock");
  for (int tries = 0; !lock.ok() && tries < 20; ++tries) {
    usleep(50'000);
    lock = LockFile(dir.path_ + "/lock");
  }
  if (!lock.ok()) {
    return absl::AlreadyExistsError(
        fmt::format("{} is being served by another pinkad up", dir.path_));
  }
  dir.lock_ = *std::move(lock);
  for (const auto& [sub, mode, give] :
       {std::tuple(dir.db(), 0700, true), std::tuple(dir.logs(), 0700, true),
        std::tuple(dir.blobs(), 0700, true), std::tuple(dir.tokens(), 0700, true),
        std::tuple(dir.agents(), 0711, false), std::tuple(dir.shared(), 01777, false)}) {
    if (Status s = Own(sub, static_cast<mode_t>(mode), account, give); !s.ok()) return s;
  }
  return dir;
}

}  // namespace pinka
