#include "db/cluster_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "base/file.h"

namespace pinka::db {
namespace {

bool LookUp(const char* name, uid_t uid, SystemUser* user) {
  struct passwd entry;
  struct passwd* found = nullptr;
  char buffer[4096];
  if (name != nullptr) {
    getpwnam_r(name, &entry, buffer, sizeof buffer, &found);
  } else {
    getpwuid_r(uid, &entry, buffer, sizeof buffer, &found);
  }
  if (found == nullptr) return false;
  *user = {.name = entry.pw_name, .uid = entry.pw_uid, .gid = entry.pw_gid, .groups = {}};
  int count = 64;
  user->groups.resize(64);
  getgrouplist(entry.pw_name, entry.pw_gid, user->groups.data(), &count);
  user->groups.resize(static_cast<size_t>(std::min(count, 64)));
  return true;
}

// Between fork and exec: nothing here allocates or locks.
bool BecomeInChild(const SystemUser& user) {
  if (geteuid() != 0 || user.uid == 0) return true;
  return setgroups(user.groups.size(), user.groups.data()) == 0 && setgid(user.gid) == 0 &&
         setuid(user.uid) == 0;
}

[[noreturn]] void ExecInChild(const SystemUser& user, char* const* argv, char* const* env,
                              int out) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  int null = open("/dev/null", O_RDONLY);
  if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || chdir("/") != 0) _exit(126);
  close_range(3, UINT_MAX, 0);
  if (!BecomeInChild(user)) _exit(126);
  umask(077);
  execve(argv[0], argv, env);
  _exit(127);
}

std::string ReadAll(int fd) {
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) != 0;) {
    if (n > 0) out.append(buffer, static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  return out;
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

}  // namespace

StatusOr<SystemUser> UnprivilegedUser() {
  SystemUser user;
  if (geteuid() != 0) {
    if (!LookUp(nullptr, geteuid(), &user)) {
      return Internal(fmt::format("user {} has no entry in /etc/passwd", geteuid()));
    }
    return user;
  }
  if (LookUp("pinka", 0, &user) || LookUp("postgres", 0, &user)) return user;
  return Internal(
      "PostgreSQL does not run as root, and there is neither a user pinka nor a user postgres: "
      "run deploy/setup run");
}

StatusOr<std::string> RunAs(const SystemUser& user, const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::string home = "HOME=/";
  std::string path = "PATH=/usr/bin:/bin";
  std::string locale = "LC_ALL=C.UTF-8";
  char* env[] = {home.data(), path.data(), locale.data(), nullptr};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Internal("no pipe for " + argv[0]);
  pid_t pid = fork();
  if (pid == 0) ExecInChild(user, words.data(), env, ends[1]);
  Fd in(ends[0]);
  close(ends[1]);
  if (pid < 0) return Internal("cannot fork for " + argv[0]);
  std::string output = ReadAll(in.get());
  int status = WaitFor(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  return Internal(fmt::format("{} as {} failed: {}", argv[0], user.name, output));
}

bool CanEnter(const SystemUser& user, const std::string& directory) {
  pid_t pid = fork();
  if (pid == 0) {
    bool enters = BecomeInChild(user) && access(directory.c_str(), R_OK | X_OK) == 0;
    _exit(enters ? 0 : 1);
  }
  return pid > 0 && WaitFor(pid) == 0;
}

Status MakeOwnDirectory(const std::string& path, const SystemUser& user, mode_t mode) {
  if (mkdir(path.c_str(), mode) == 0) {
    if (geteuid() == 0 && chown(path.c_str(), user.uid, user.gid) != 0) {
      return Internal("cannot give " + path + " to " + user.name);
    }
    return OkStatus();
  }
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return Internal("cannot make " + path);
  if (!S_ISDIR(info.st_mode) || info.st_uid != user.uid) {
    return Internal(path + " is there and is not a directory of " + user.name +
                    ": remove it, or choose another data directory");
  }
  if (chmod(path.c_str(), mode) != 0) return Internal("cannot set the mode of " + path);
  return OkStatus();
}

std::vector<pid_t> ProcessesIn(const std::string& directory) {
  std::vector<pid_t> found;
  char wanted[PATH_MAX];
  if (realpath(directory.c_str(), wanted) == nullptr) return found;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return found;
  while (struct dirent* entry = readdir(proc)) {
    auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid <= 0) continue;
    StatusOr<std::string> name = ReadFile(fmt::format("/proc/{}/comm", pid));
    if (!name.ok() || *name != "postgres\n") continue;
    char cwd[PATH_MAX];
    ssize_t n = readlink(fmt::format("/proc/{}/cwd", pid).c_str(), cwd, sizeof cwd - 1);
    if (n > 0 && std::string_view(cwd, static_cast<size_t>(n)) == wanted) found.push_back(pid);
  }
  closedir(proc);
  return found;
}

}  // namespace pinka::db
