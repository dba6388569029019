#include "files/carry.h"

#include <set>

namespace pinka {
namespace {

constexpr size_t kGroupBytes = size_t{32} << 20;
constexpr size_t kGroup = 1'024;

}  // namespace

Status Carrier::Put(const std::string& hash, std::string bytes) {
  waiting_bytes_ += bytes.size();
  waiting_.emplace_back(hash, std::move(bytes));
  const bool full = waiting_bytes_ >= kGroupBytes || waiting_.size() >= kGroup;
  return full ? Flush() : OkStatus();
}

Status Carrier::Flush() {
  if (waiting_.empty()) return OkStatus();
  std::vector<std::string> hashes;
  for (const auto& [hash, bytes] : waiting_) hashes.push_back(hash);
  StatusOr<std::vector<std::string>> missing = find_(hashes);
  if (!missing.ok()) return missing.status();
  std::set<std::string> to_send(missing->begin(), missing->end());
  for (const auto& [hash, bytes] : waiting_) {
    if (to_send.erase(hash) == 0) continue;
    if (Status s = send_(hash, bytes); !s.ok()) return s;
    sent_bytes_ += static_cast<int64_t>(bytes.size());
  }
  waiting_.clear();
  waiting_bytes_ = 0;
  return OkStatus();
}

}  // namespace pinka
