#include "client/cli/core/beside.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

extern char** environ;

namespace pinka::cli {
namespace {

struct Pipe {
  Fd read;
  Fd write;
};

StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Internal(std::string("no pipe: ") + std::strerror(errno));
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t size = read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(size));
  }
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::string Beside(const std::string& program) {
  std::array<char, 4096> self{};
  const ssize_t size = readlink("/proc/self/exe", self.data(), self.size());
  const std::string path(self.data(), size > 0 ? static_cast<size_t>(size) : 0);
  const size_t slash = path.rfind('/');
  return (slash == std::string::npos ? std::string("./") : path.substr(0, slash + 1)) + program;
}

StatusOr<std::string> RunBeside(const std::string& program, const std::vector<std::string>& words) {
  const std::string path = Beside(program);
  StatusOr<Pipe> out = MakePipe();
  if (!out.ok()) return out.status();
  StatusOr<Pipe> err = MakePipe();
  if (!err.ok()) return err.status();
  std::vector<std::string> kept = words;
  std::string name = program;
  std::vector<char*> argv = {name.data()};
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out->write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err->write.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return Internal(path + " cannot be started (" + std::strerror(failed) +
                    "); install it beside this program");
  }
  out->write = Fd();
  err->write = Fd();
  // It writes its answer at its end and a line or two of errors: neither pipe fills meanwhile.
  std::string answer = ReadAll(out->read.get());
  const std::string errors = ReadAll(err->read.get());
  const int status = WaitFor(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return answer;
  return Internal(program + " failed: " + SanitizeForTerminal(errors.substr(0, errors.find('\n'))));
}

}  // namespace pinka::cli
