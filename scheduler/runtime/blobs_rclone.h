// Blobs in whatever rclone can reach: S3, OSS, COS, another machine, or a directory. Each call runs
// rclone as a process of its own; a blob is sent under another name and renamed, so that one that
// was cut short never has its name, and every blob is checked when it is read.
//
//   RcloneBlobs blobs("lab-oss:pinka", "/var/lib/pinka/blobs-out");
#pragma once

#include <string>
#include <vector>

#include "scheduler/runtime/blobs.h"

namespace pinka {

class RcloneBlobs final : public Blobs {
 public:
  // `remote` as rclone names it, from rclone's own configuration; `outgoing` a directory here for
  // what is on its way.
  RcloneBlobs(std::string remote, std::string outgoing)
      : remote_(std::move(remote)), outgoing_(std::move(outgoing)) {}

  // That there is rclone and it reaches the remote; drops what an earlier process left.
  Status Open();

  StatusOr<std::vector<std::string>> Missing(const std::vector<std::string>& hashes) override;
  Status Put(const std::string& hash, std::string_view bytes) override;
  StatusOr<std::string> Get(const std::string& hash) override;
  Status ForEach(const std::function<void(const Found&)>& each) override;
  Status Remove(const std::string& hash, Timestamp untouched_since) override;

 private:
  struct Ran {
    int exit = -1;
    std::string out;
  };
  StatusOr<Ran> Run(std::vector<std::string> words) const;
  std::string PathOf(const std::string& hash) const;
  StatusOr<std::vector<Found>> List(const std::vector<std::string>& options) const;

  const std::string remote_;
  const std::string outgoing_;
};

}  // namespace pinka
