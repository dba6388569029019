// Files that survive a crash, and small helpers around them.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace pinka {

StatusOr<std::string> ReadFile(const std::string& path);
// Written beside, fsynced, renamed over, directory fsynced: after OK the content is durable and
// no reader ever sees a part of it. `mode` as in chmod.
Status WriteFileDurably(const std::string& path, std::string_view content, int mode = 0600);
Status SyncDirectory(const std::string& path);
Status MakeDirectories(const std::string& path, int mode = 0700);
// Removes a tree; a path that is not there is fine.
Status RemoveTree(const std::string& path);
bool PathExists(const std::string& path);

// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.Release()) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release();

 private:
  int fd_ = -1;
};

// An exclusive flock on `path` for the life of the object; refused at once if somebody holds it.
StatusOr<Fd> LockFile(const std::string& path);

}  // namespace pinka
