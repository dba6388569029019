// Sends blobs to a store that may have some of them: asks in groups which are missing, sends only
// those. A transfer that broke goes on where it was, because what arrived is not missing any more.
#pragma once

#include <functional>
#include <future>
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
  // `at_once` above 1: so many blobs are on their way together, while the next group is packed;
  // then both functions are called from other threads, `send` from several at a time.
  Carrier(FindMissing find, Send send, int at_once = 1)
      : find_(std::move(find)), send_(std::move(send)), at_once_(at_once) {}
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  Status Put(const std::string& hash, std::string bytes) override;
  Status Flush() override;

 private:
  using Group = std::vector<std::pair<std::string, std::string>>;  // hash, bytes

  Status SendGroup();
  Status Wait();
  Status Carry() const;

  const FindMissing find_;
  const Send send_;
  const int at_once_;
  Group waiting_;
  size_t waiting_bytes_ = 0;
  Group group_;                     // on its way
  std::future<Status> on_its_way_;  // last: it uses all of the above
};

}  // namespace pinka
