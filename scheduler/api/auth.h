// Who calls: Bearer tokens, looked up by their SHA-256 (only the hash is known here). An answer is
// kept for a few seconds, so that revoking takes effect well within a minute. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/ids.h"
#include "base/status.h"
#include "scheduler/api/methods.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// A member of the lab, or the agent of one node.
struct Principal {
  MemberId member;
  std::string name;  // of the member or the node
  bool admin = false;
  std::string node;  // not empty: an agent
  TierId tier;       // of that node

  bool is_agent() const { return !node.empty(); }
  Actor actor() const { return {member, admin}; }
};

// The token of "authorization: Bearer TOKEN"; "" where there is none.
std::string_view BearerToken(std::string_view header);

// Whether `who` may call a method at all: OK or NotPermitted.
Status MayCall(const MethodRule& rule, const Principal& who);

class TokenCache {
 public:
  // A token's principal by hash; nothing where it is unknown, revoked, or its member has left.
  using Lookup = std::function<StatusOr<std::optional<Principal>>(const std::string& hash)>;

  TokenCache(const Clock& clock, Lookup lookup, Duration keep = Duration::Seconds(5));

  // What is known without asking: nothing where Resolve must be called (it blocks).
  std::optional<Principal> Known(std::string_view token);
  // Asks where nothing is known. Unauthenticated where the token is not valid; a failed lookup is
  // passed on and not kept.
  StatusOr<Principal> Resolve(std::string_view token);

 private:
  struct Entry {
    Principal principal;
    Duration until;  // monotonic
  };
  const Clock& clock_;
  const Lookup lookup_;
  const Duration keep_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by hash
};

}  // namespace pinka::api
