#include "agent/blob_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <vector>

#include "agent/scheduler_client.h"
#include "base/file.h"
#include "base/hash.h"

namespace pinka {
namespace {

constexpr int64_t kLookEvery = int64_t{64} << 20;  // bytes added between looks at its size

}  // namespace

StatusOr<std::string> BlobCache::Get(const std::string& hash) {
  const std::string path = directory_ + "/" + hash;
  StatusOr<std::string> kept = ReadFile(path);
  if (kept.ok() && Sha256Hex(*kept) == hash) return kept;
  StatusOr<std::string> bytes = client_->GetBlob(hash);
  if (bytes.ok()) Keep(path, *bytes);
  return bytes;
}

// A cache that cannot be written is slower, and that is all.
void BlobCache::Keep(const std::string& path, const std::string& bytes) {
  if (!MakeDirectories(directory_, 0700).ok()) return;
  WriteFileDurably(path, bytes, 0600).IgnoreError();
  std::lock_guard lock(mutex_);
  added_ += static_cast<int64_t>(bytes.size());
  if (added_ < std::min(kLookEvery, most_bytes_)) return;
  added_ = 0;
  Prune();
}

void BlobCache::Prune() {
  namespace fs = std::filesystem;
  std::vector<std::tuple<fs::file_time_type, std::string, int64_t>> files;
  int64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    struct stat info {};
    if (stat(entry.path().c_str(), &info) != 0) continue;
    files.emplace_back(entry.last_write_time(error), entry.path().string(), info.st_size);
    bytes += info.st_size;
  }
  std::ranges::sort(files);
  for (const auto& [at, path, size] : files) {
    if (bytes <= most_bytes_) return;
    fs::remove(path, error);
    bytes -= size;
  }
}

}  // namespace pinka
