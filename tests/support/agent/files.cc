#include "tests/support/agent/files.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/process/proc.h"
#include "base/file.h"

namespace pinka::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

int MillisUntil(Clock::time_point end) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(left, 0));
}

}  // namespace

TempDir::TempDir() {
  std::string name = "/tmp/pinka-test-XXXXXX";
  path_ = mkdtemp(name.data());
  chmod(path_.c_str(), 0711);
}

TempDir::~TempDir() { RemoveTree(path_).IgnoreError(); }

std::string TempDir::Shared(const std::string& name) const {
  std::string path = path_ + "/" + name;
  mkdir(path.c_str(), 0777);
  chmod(path.c_str(), 0777);
  return path;
}

std::string Program(const std::string& name) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / name).string();
}

std::string Slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void Spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

bool WaitForChange(const std::string& directory, const std::function<bool()>& holds, int seconds) {
  Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  Fd watch(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  inotify_add_watch(watch.get(), directory.c_str(),
                    IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE | IN_ATTRIB);
  while (!holds()) {
    pollfd wait{watch.get(), POLLIN, 0};
    if (poll(&wait, 1, MillisUntil(end)) == 0) return holds();
    std::array<char, 4096> events;
    while (read(watch.get(), events.data(), events.size()) > 0) {
    }
  }
  return true;
}

bool WaitForFile(const std::string& path, int seconds) {
  return WaitForChange(
      fs::path(path).parent_path(), [&] { return PathExists(path); }, seconds);
}

bool WaitForEnd(int pid, int seconds) {
  Fd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!fd.valid()) return true;
  pollfd wait{fd.get(), POLLIN, 0};
  return poll(&wait, 1, seconds * 1'000) > 0;
}

}  // namespace pinka::test
