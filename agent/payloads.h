// Commands, environments and scripts by their hash. Kept in memory only: they hold secrets, and
// what runs has its own order on disk.
// Thread-safe.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/status.h"
#include "pinka/v1/agent.pb.h"

namespace pinka {

class SchedulerClient;

class Payloads {
 public:
  explicit Payloads(SchedulerClient* client) : client_(client) {}

  // Blocks on the network. Unavailable: worth another try; anything else: the scheduler has no
  // such payload, or it is damaged.
  StatusOr<std::shared_ptr<const v1::Payload>> Get(const std::string& hash);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const v1::Payload>>;

  SchedulerClient* client_;
  std::mutex mutex_;
  std::list<Entry> recent_;  // newest first
};

}  // namespace pinka
