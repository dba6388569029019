// Sends blobs to a store that may have some of them: asks in groups which are missing, sends only
// those. A transfer that broke goes on where it was, because what arrived is not missing any more.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "files/pack.h"

namespace pinka {

class Carrier final : public BlobSink {
 public:
  using FindMissing =
      std::function<StatusOr<std::vector<std::string>>(const std::vector<std::string>& hashes)>;
  using Send = std::function<Status(const std::string& hash, const std::string& bytes)>;
  Carrier(FindMissing find, Send send) : find_(std::move(find)), send_(std::move(send)) {}

  Status Put(const std::string& hash, std::string bytes) override;
  Status Flush() override;
  int64_t sent_bytes() const { return sent_bytes_; }

 private:
  FindMissing find_;
  Send send_;
  std::vector<std::pair<std::string, std::string>> waiting_;  // hash, bytes
  size_t waiting_bytes_ = 0;
  int64_t sent_bytes_ = 0;
};

}  // namespace pinka
