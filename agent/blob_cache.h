// Blobs of code, kept on the box: the tasks of an array, and tomorrow's run, fetch what has not
// changed from here. Every blob is checked when it is read; the oldest go when it grows too large.
// Thread-safe; Get blocks.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/status.h"

namespace pinka {

class SchedulerClient;

class BlobCache {
 public:
  BlobCache(std::string directory, SchedulerClient* client, int64_t most_bytes = int64_t{1} << 30)
      : directory_(std::move(directory)), client_(client), most_bytes_(most_bytes) {}

  StatusOr<std::string> Get(const std::string& hash);

 private:
  void Keep(const std::string& path, const std::string& bytes);
  void Prune();

  const std::string directory_;
  SchedulerClient* client_;
  const int64_t most_bytes_;
  std::mutex mutex_;  // of pruning
  int64_t added_ = 0;
};

}  // namespace pinka
