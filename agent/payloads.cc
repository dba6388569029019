#include "agent/payloads.h"

#include <fmt/format.h>

#include "agent/scheduler_client.h"
#include "base/hash.h"

namespace pinka {
namespace {

constexpr size_t kKept = 16;  // an array's tasks share one; few arrays run at a time

}  // namespace

StatusOr<std::shared_ptr<const v1::Payload>> Payloads::Get(const std::string& hash) {
  {
    std::lock_guard lock(mutex_);
    for (auto at = recent_.begin(); at != recent_.end(); ++at) {
      if (at->first != hash) continue;
      recent_.splice(recent_.begin(), recent_, at);
      return at->second;
    }
  }
  StatusOr<std::string> bytes = client_->FetchPayload(hash);
  if (!bytes.ok()) return bytes.status();
  auto payload = std::make_shared<v1::Payload>();
  if (Sha256Hex(*bytes) != hash || !payload->ParseFromString(*bytes)) {
    return Internal(fmt::format("the payload {} arrived damaged", hash));
  }
  std::lock_guard lock(mutex_);
  recent_.emplace_front(hash, payload);
  if (recent_.size() > kKept) recent_.pop_back();
  return std::shared_ptr<const v1::Payload>(std::move(payload));
}

}  // namespace pinka
