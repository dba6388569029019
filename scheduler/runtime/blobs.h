// Where the bytes of jobs' files lie: blobs, each named by the SHA-256 of its bytes, so that there
// is nothing to overwrite and everything can be checked. The one seam: a directory here, or
// whatever rclone can reach (blobs_rclone.h). Thread-safe; every function may block.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace pinka {

class Blobs {
 public:
  virtual ~Blobs() = default;

  struct Found {
    std::string hash;
    int64_t bytes = 0;
    Timestamp touched_at;
  };

  // Of `hashes` those that are not there. The others count as touched now: who asked may build on
  // them.
  virtual StatusOr<std::vector<std::string>> Missing(const std::vector<std::string>& hashes) = 0;
  // Whole and durable when it is OK, and never there in part. The bytes have the hash.
  virtual Status Put(const std::string& hash, std::string_view bytes) = 0;
  // Checked against the hash. NotFound where it is not there; Internal where it is damaged.
  virtual StatusOr<std::string> Get(const std::string& hash) = 0;
  virtual Status ForEach(const std::function<void(const Found&)>& each) = 0;
  // Only if nobody has touched it since `untouched_since`.
  virtual Status Remove(const std::string& hash, Timestamp untouched_since) = 0;
};

// DIRECTORY/ab/abcdef…; what is being written lies in DIRECTORY/new until it is whole.
class DirectoryBlobs final : public Blobs {
 public:
  // Refuses what would leave less than `keep_free` bytes on the disk.
  explicit DirectoryBlobs(std::string directory, int64_t keep_free = int64_t{256} << 20)
      : directory_(std::move(directory)), keep_free_(keep_free) {}

  // Makes the directories, drops what an earlier process left half written.
  Status Open();

  StatusOr<std::vector<std::string>> Missing(const std::vector<std::string>& hashes) override;
  Status Put(const std::string& hash, std::string_view bytes) override;
  StatusOr<std::string> Get(const std::string& hash) override;
  Status ForEach(const std::function<void(const Found&)>& each) override;
  Status Remove(const std::string& hash, Timestamp untouched_since) override;

 private:
  std::string PathOf(const std::string& hash) const;
  Status CheckRoom(size_t bytes) const;

  const std::string directory_;
  const int64_t keep_free_;
};

}  // namespace pinka
