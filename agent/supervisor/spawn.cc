#include "agent/supervisor/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"

namespace pinka {
namespace {

enum class Stage : int { kSetup, kAccount, kDirectory, kProgram };

// What the child says when it cannot become the job. Small enough to be written whole.
struct Failure {
  Stage stage;
  int error;
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const auto& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string ValueOf(const std::vector<std::string>& env, std::string_view name) {
  for (const auto& entry : env) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return "";
}

std::string ScriptPath(const Order& order) {
  std::string name = order.argv.empty() ? "" : order.argv[0];
  name = name.substr(name.rfind('/') + 1);
  bool usable = !name.empty() && name != "." && name != ".." && name.size() <= 200;
  return order.Scratch() + "/" + (usable ? name : "script");
}

// The programs to try, in order, as execvp would: the job's own PATH, not ours.
std::vector<std::string> Candidates(const Order& order) {
  if (!order.script.empty()) return {ScriptPath(order)};
  const std::string& program = order.argv[0];
  if (program.find('/') != std::string::npos) return {program};
  std::vector<std::string> paths;
  std::string path = ValueOf(order.env, "PATH");
  for (size_t at = 0; at <= path.size();) {
    size_t end = std::min(path.find(':', at), path.size());
    std::string directory = path.substr(at, end - at);
    paths.push_back((directory.empty() ? "." : directory) + "/" + program);
    at = end + 1;
  }
  return paths;
}

// argv for the script's candidate, or for /bin/sh where its first line names no interpreter.
std::vector<std::string> ScriptArgv(const Order& order, bool by_shell) {
  std::vector<std::string> argv;
  if (by_shell) argv.push_back("/bin/sh");
  argv.push_back(ScriptPath(order));
  if (order.argv.size() > 1) argv.insert(argv.end(), order.argv.begin() + 1, order.argv.end());
  return argv;
}

// By system call: the C library refuses to touch the two signals that it uses itself, and a starter
// may have left those ignored as well.
void ResetSignals() {
  constexpr size_t kKernelSetBytes = 8;
  const std::array<char, 64> standard{};  // a kernel's sigaction of zeros: SIG_DFL
  for (int signal = 1; signal < NSIG; ++signal) {
    syscall(SYS_rt_sigaction, signal, standard.data(), nullptr, kKernelSetBytes);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void WriteText(const char* path, std::string_view text) {
  Fd fd(open(path, O_WRONLY | O_CLOEXEC));
  if (fd.valid()) [[maybe_unused]]
    ssize_t n = write(fd.get(), text.data(), text.size());
}

bool ConnectStreams(int log_fd) {
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return null >= 0 && dup2(null, 0) >= 0 && dup2(log_fd, 1) >= 0 && dup2(log_fd, 2) >= 0;
}

// Tries the candidates; the errno that says most, as execvp does.
int ExecFirst(const std::vector<std::string>& candidates, char* const* argv, char* const* env) {
  int error = ENOENT;
  for (const auto& path : candidates) {
    execve(path.c_str(), argv, env);
    if (errno == ENOENT || errno == ENOTDIR) continue;
    if (errno != EACCES) return errno;
    error = EACCES;
  }
  return error;
}

Failure BecomeJob(const Order& order, const Account& account, const std::vector<Fd>& groups,
                  int log_fd, const std::vector<std::string>& candidates) {
  // Away from the supervisor's session: a job's `kill 0` must not reach it.
  setsid();
  umask(022);
  for (const Fd& group : groups) [[maybe_unused]] ssize_t n = write(group.get(), "0", 1);
  WriteText("/proc/self/oom_score_adj", "0");
  if (!ConnectStreams(log_fd)) return {Stage::kSetup, errno};
  if (!BecomeAccount(account)) return {Stage::kAccount, errno};
  std::string directory = order.chdir.empty() ? order.Scratch() : order.chdir;
  if (chdir(directory.c_str()) != 0) return {Stage::kDirectory, errno};
  std::vector<char*> env = Pointers(order.env);
  bool script = !order.script.empty();
  std::vector<std::string> words = script ? ScriptArgv(order, false) : order.argv;
  int error = ExecFirst(candidates, Pointers(words).data(), env.data());
  if (script && error == ENOEXEC) {
    words = ScriptArgv(order, true);
    error = ExecFirst({"/bin/sh"}, Pointers(words).data(), env.data());
  }
  return {Stage::kProgram, error};
}

std::string DescribeProgram(const Order& order, int error) {
  bool script = !order.script.empty();
  std::string name = script ? "the script" : order.argv[0];
  struct stat info {};
  bool direct = script || name.find('/') != std::string::npos;
  if (error == ENOENT && script) return "the program on the script's #! line is not on this box";
  if (error == ENOENT) return fmt::format("no such program: {}", name);
  if (error == ENOEXEC) {
    return fmt::format("{} is neither a program nor a script with a #! line", name);
  }
  if (error == EACCES && direct && stat(name.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return fmt::format("{} is a directory, not a program", name);
  }
  return fmt::format("{} cannot be run: {}", name, std::generic_category().message(error));
}

std::string Describe(const Order& order, const Failure& failure) {
  if (failure.error == E2BIG) return "could not start: command too long";
  std::string why = std::generic_category().message(failure.error);
  switch (failure.stage) {
    case Stage::kSetup:
      return fmt::format("could not start: {}", why);
    case Stage::kAccount:
      return fmt::format("could not start: cannot become {}: {}", order.account, why);
    case Stage::kDirectory:
      if (failure.error == ENOENT) {
        return fmt::format("could not start: no such directory: {}", order.chdir);
      }
      return fmt::format("could not start: cannot enter {}: {}", order.chdir, why);
    case Stage::kProgram:
      return "could not start: " + DescribeProgram(order, failure.error);
  }
  return "could not start";
}

// Nothing arrives, and the pipe closes, exactly when exec has happened.
bool ReadFailure(int fd, Failure* failure) {
  ssize_t n = 0;
  do {
    n = read(fd, failure, sizeof *failure);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof *failure);
}

Status Give(const std::string& path, const Account& account) {
  if (!account.change || lchown(path.c_str(), account.uid, account.gid) == 0) return OkStatus();
  return Unavailable(fmt::format("cannot give {} to the job", path));
}

}  // namespace

Status PrepareHome(const Order& order, const Account& account) {
  // The job passes through `home` and cannot change it; what is inside is the job's own. Scratch is
  // handed over last: until then no other job of the account can put something in the script's
  // place.
  if (Status made = MakeDirectories(order.home, 0711); !made.ok()) return made;
  for (const auto& path : {order.Scratch(), order.Output()}) {
    if (Status made = MakeDirectories(path, 0700); !made.ok()) return made;
  }
  if (!order.script.empty()) {
    Status written = WriteFileDurably(ScriptPath(order), order.script, 0700);
    if (written.ok()) written = Give(ScriptPath(order), account);
    if (!written.ok()) return written;
  }
  Status given = Give(order.Scratch(), account);
  return given.ok() ? Give(order.Output(), account) : given;
}

Spawned Spawn(const Order& order, const Account& account, const Cgroup& cgroup, int log_fd) {
  if (order.argv.empty() && order.script.empty()) {
    return {.pid = 0, .failure = "could not start: the command is empty"};
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {.pid = 0, .failure = "could not start: out of pipes"};
  Fd from_child(ends[0]);
  Fd to_parent(ends[1]);
  std::vector<Fd> groups = cgroup.OpenProcs();
  std::vector<std::string> candidates = Candidates(order);
  pid_t pid = fork();
  if (pid < 0) return {.pid = 0, .failure = "could not start: the box is out of processes"};
  if (pid == 0) {
    ResetSignals();
    Failure failure = BecomeJob(order, account, groups, log_fd, candidates);
    [[maybe_unused]] ssize_t n = write(to_parent.get(), &failure, sizeof failure);
    _exit(127);
  }
  to_parent = Fd();
  Failure failure{};
  if (!ReadFailure(from_child.get(), &failure)) return {.pid = pid, .failure = ""};
  waitpid(pid, nullptr, 0);
  return {.pid = 0, .failure = Describe(order, failure)};
}

}  // namespace pinka
