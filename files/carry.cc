#include "files/carry.h"

#include <algorithm>
#include <atomic>
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
  return full ? SendGroup() : OkStatus();
}

Status Carrier::Flush() {
  if (Status s = SendGroup(); !s.ok()) return s;
  return Wait();
}

// After the group before it: at most two are in memory.
Status Carrier::SendGroup() {
  if (waiting_.empty()) return OkStatus();
  if (Status s = Wait(); !s.ok()) return s;
  group_ = std::exchange(waiting_, {});
  waiting_bytes_ = 0;
  if (at_once_ <= 1) return Carry();
  on_its_way_ = std::async(std::launch::async, [this] { return Carry(); });
  return OkStatus();
}

Status Carrier::Wait() { return on_its_way_.valid() ? on_its_way_.get() : OkStatus(); }

Status Carrier::Carry() const {
  std::vector<std::string> hashes;
  for (const auto& [hash, bytes] : group_) hashes.push_back(hash);
  StatusOr<std::vector<std::string>> missing = find_(hashes);
  if (!missing.ok()) return missing.status();
  std::set<std::string> wanted(missing->begin(), missing->end());
  std::vector<const Group::value_type*> to_send;
  for (const auto& blob : group_) {
    if (wanted.erase(blob.first) > 0) to_send.push_back(&blob);
  }
  std::atomic<size_t> next = 0;
  const auto send_some = [&]() -> Status {
    for (size_t n = next++; n < to_send.size(); n = next++) {
      Status sent = send_(to_send[n]->first, to_send[n]->second);
      if (sent.ok()) continue;
      next = to_send.size();  // nobody begins another
      return sent;
    }
    return OkStatus();
  };
  std::vector<std::future<Status>> others;
  for (size_t n = 1; n < std::min(static_cast<size_t>(at_once_), to_send.size()); ++n)
    others.push_back(std::async(std::launch::async, send_some));
  Status all = send_some();
  for (auto& other : others) all.Update(other.get());
  return all;
}

}  // namespace pinka
