// durable_wrapper DIR NAME PROGRAM [ARG...]: runs a program and keeps durably that it began, that
// it ended, when and how, in DIR/NAME. What a careful person puts around a task before handing it
// to GNU parallel; bench_agent.py measures pinka beside it.
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

std::string Now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec / 1'000'000);
}

bool Keep(int fd, const std::string& line) {
  return write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
         fdatasync(fd) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::string path = std::string(argv[1]) + "/" + argv[2];
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int directory = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || directory < 0) return 125;
  if (!Keep(fd, "start " + Now() + "\n") || fsync(directory) != 0) return 125;
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return Keep(fd, "end " + Now() + " code " + std::to_string(code) + "\n") ? code : 125;
}
