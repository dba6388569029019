#include "scheduler/runtime/blobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

namespace fs = std::filesystem;

Status Failed(const char* what, const std::string& path) {
  return Unavailable(fmt::format("the blob store cannot {} {}: {}", what, path,
                                 std::generic_category().message(errno)));
}

Status WriteWhole(const std::string& path, std::string_view bytes) {
  const Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return Failed("write", path);
  while (!bytes.empty()) {
    const ssize_t n = write(fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Failed("write", path);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return fsync(fd.get()) == 0 ? OkStatus() : Failed("sync", path);
}

std::string NewName(const std::string& directory) {
  static std::atomic<int64_t> number{0};
  return fmt::format("{}/new/{}-{}", directory, getpid(), ++number);
}

Timestamp ModifiedAt(const struct stat& info) {
  return Timestamp::Micros(int64_t{info.st_mtim.tv_sec} * 1'000'000 + info.st_mtim.tv_nsec / 1'000);
}

bool Touch(const std::string& path) { return utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0; }

}  // namespace

std::string DirectoryBlobs::PathOf(const std::string& hash) const {
  return directory_ + "/" + hash.substr(0, 2) + "/" + hash;
}

Status DirectoryBlobs::Open() {
  if (Status s = RemoveTree(directory_ + "/new"); !s.ok()) return s;
  if (Status s = MakeDirectories(directory_ + "/new"); !s.ok()) return s;
  for (int n = 0; n < 256; ++n) {
    if (Status s = MakeDirectories(fmt::format("{}/{:02x}", directory_, n)); !s.ok()) return s;
  }
  return SyncDirectory(directory_);
}

StatusOr<std::vector<std::string>> DirectoryBlobs::Missing(const std::vector<std::string>& hashes) {
  std::vector<std::string> missing;
  for (const std::string& hash : hashes) {
    if (Touch(PathOf(hash))) continue;
    if (errno != ENOENT) return Failed("look at", PathOf(hash));
    missing.push_back(hash);
  }
  return missing;
}

Status DirectoryBlobs::CheckRoom(size_t bytes) const {
  struct statvfs info {};
  if (statvfs(directory_.c_str(), &info) != 0) return Failed("look at", directory_);
  const auto free = static_cast<int64_t>(info.f_bavail) * static_cast<int64_t>(info.f_frsize);
  if (free - static_cast<int64_t>(bytes) >= keep_free_) return OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "the lab's blob store is full ({} MiB left on its disk); ask an admin for room", free >> 20));
}

// Beside, synced, renamed, and the directory synced: a crash at any point leaves it whole or
// absent.
Status DirectoryBlobs::Put(const std::string& hash, std::string_view bytes) {
  const std::string path = PathOf(hash);
  if (Touch(path)) return OkStatus();
  if (Status s = CheckRoom(bytes.size()); !s.ok()) return s;
  const std::string beside = NewName(directory_);
  Status written = WriteWhole(beside, bytes);
  if (written.ok() && rename(beside.c_str(), path.c_str()) != 0) written = Failed("name", path);
  if (!written.ok()) {
    unlink(beside.c_str());
    return written;
  }
  return SyncDirectory(directory_ + "/" + hash.substr(0, 2));
}

StatusOr<std::string> DirectoryBlobs::Get(const std::string& hash) {
  const std::string path = PathOf(hash);
  if (!PathExists(path)) return NotFound("the blob store has no blob " + hash);
  StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  if (Sha256Hex(*bytes) == hash) return bytes;
  // Out of the way: then it is missing, and whoever still has it sends it again.
  spdlog::error("the blob {} is damaged and was taken out", path);
  rename(path.c_str(), NewName(directory_).c_str());
  return Internal("the blob " + hash + " is damaged");
}

Status DirectoryBlobs::ForEach(const std::function<void(const Found&)>& each) {
  std::error_code error;
  for (const auto& part : fs::directory_iterator(directory_, error)) {
    if (part.path().filename() == "new") continue;
    for (const auto& entry : fs::directory_iterator(part.path(), error)) {
      struct stat info {};
      if (stat(entry.path().c_str(), &info) != 0) continue;
      each({entry.path().filename(), info.st_size, ModifiedAt(info)});
    }
  }
  return error ? Unavailable("the blob store cannot be listed: " + error.message()) : OkStatus();
}

// Whoever touches it between the look and the unlink is told by Put that it is there and would lose
// it: so it is moved aside first, looked at again, and put back where it was touched.
Status DirectoryBlobs::Remove(const std::string& hash, Timestamp untouched_since) {
  const std::string path = PathOf(hash);
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return errno == ENOENT ? OkStatus() : Failed("look at", path);
  if (ModifiedAt(info) >= untouched_since) return OkStatus();
  const std::string aside = NewName(directory_);
  if (rename(path.c_str(), aside.c_str()) != 0)
    return errno == ENOENT ? OkStatus() : Failed("remove", path);
  const bool touched = stat(aside.c_str(), &info) == 0 && ModifiedAt(info) >= untouched_since;
  if (touched) {
    if (rename(aside.c_str(), path.c_str()) != 0) return Failed("put back", path);
    return OkStatus();
  }
  return unlink(aside.c_str()) == 0 ? OkStatus() : Failed("remove", path);
}

}  // namespace pinka
