#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace pinka {
namespace {

// "cannot read /x: No such file or directory", as the kind of failure that errno says it is.
Status Failed(std::string_view doing, const std::string& path, int error) {
  std::string sentence =
      fmt::format("cannot {} {}: {}", doing, path, std::generic_category().message(error));
  return error == ENOENT ? NotFound(sentence) : Unavailable(sentence);
}

int OpenRetrying(const std::string& path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// 0, or the errno of the write that failed.
int WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

// Fills an open, new file; 0 or errno.
int FillDurably(int fd, std::string_view content, int mode) {
  if (int error = WriteAll(fd, content)) return error;
  if (fchmod(fd, static_cast<mode_t>(mode)) != 0) return errno;
  if (fsync(fd) != 0) return errno;
  return 0;
}

std::string DirectoryOf(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path) {
  Fd fd(OpenRetrying(path, O_RDONLY));
  if (!fd.valid()) return Failed("read", path, errno);
  std::string content;
  char buffer[65'536];
  while (true) {
    ssize_t n = read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", path, errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<size_t>(n));
  }
}

Status WriteFileDurably(const std::string& path, std::string_view content, int mode) {
  std::string beside = path + ".new.XXXXXX";
  Fd fd(mkostemp(beside.data(), O_CLOEXEC));
  if (!fd.valid()) return Failed("write", path, errno);
  int error = FillDurably(fd.get(), content, mode);
  if (error == 0 && rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(beside.c_str());
    return Failed("write", path, error);
  }
  return SyncDirectory(DirectoryOf(path));
}

Status SyncDirectory(const std::string& path) {
  Fd fd(OpenRetrying(path, O_RDONLY | O_DIRECTORY));
  if (!fd.valid()) return Failed("open the directory", path, errno);
  if (fsync(fd.get()) != 0) return Failed("sync the directory", path, errno);
  return OkStatus();
}

Status MakeDirectories(const std::string& path, int mode) {
  std::filesystem::path so_far;
  for (const auto& part : std::filesystem::path(path)) {
    so_far /= part;
    if (mkdir(so_far.c_str(), static_cast<mode_t>(mode)) == 0) continue;
    int error = errno;
    std::error_code ignored;
    if (std::filesystem::is_directory(so_far, ignored)) continue;
    return Failed("make the directory", so_far.string(), error);
  }
  return OkStatus();
}

Status RemoveTree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error && error.value() != ENOENT) return Failed("remove", path, error.value());
  return OkStatus();
}

bool PathExists(const std::string& path) {
  struct stat ignored {};
  return stat(path.c_str(), &ignored) == 0;
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this == &other) return *this;
  Fd old(std::exchange(fd_, other.Release()));
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) close(fd_);
}

int Fd::Release() { return std::exchange(fd_, -1); }

StatusOr<Fd> LockFile(const std::string& path) {
  Fd fd(OpenRetrying(path, O_RDWR | O_CREAT, 0600));
  if (!fd.valid()) return Failed("open the lock", path, errno);
  if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) return Failed("lock", path, errno);
  return Unavailable(fmt::format(
      "another process holds the lock {}: stop it first, or use another directory", path));
}

}  // namespace pinka
