#include "scheduler/api/auth.h"

#include <utility>

#include "base/hash.h"
#include "scheduler/api/status_table.h"

namespace pinka::api {
namespace {

constexpr size_t kMostEntries = 10'000;
constexpr size_t kLongestToken = 512;

Status NotValid() {
  return Refusal(
      Trouble::kUnauthenticated,
      "the token is not valid (unknown, revoked, or its member has left); an admin makes "
      "a new one with `pinka admin member token` (for a box: `pinka admin node join-token`), "
      "`pinka "
      "login` (`pinka-agent join`) sets it");
}

}  // namespace

std::string_view BearerToken(std::string_view header) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!header.starts_with(kScheme)) return "";
  return header.substr(kScheme.size());
}

Status MayCall(const MethodRule& rule, const Principal& who) {
  switch (rule.who) {
    case Who::kAnybody:
      return OkStatus();
    case Who::kMember:
      if (!who.is_agent()) return OkStatus();
      return Refusal(Reason::kNotPermitted, "this call is for members; the token is an agent's");
    case Who::kAdmin:
      if (who.admin && !who.is_agent()) return OkStatus();
      return Refusal(Reason::kNotPermitted, "this call is for admins; ask one of them");
    case Who::kCarrier:
      return OkStatus();
    case Who::kAgent:
      if (who.is_agent()) return OkStatus();
      return Refusal(Reason::kNotPermitted, "this call is for agents; use a node's join token");
  }
  return Refusal(Reason::kNotPermitted, "no rule allows this call");
}

TokenCache::TokenCache(const Clock& clock, Lookup lookup, Duration keep)
    : clock_(clock), lookup_(std::move(lookup)), keep_(keep) {}

std::optional<Principal> TokenCache::Known(std::string_view token) {
  const std::string hash = Sha256Hex(token);
  std::lock_guard lock(mutex_);
  auto it = entries_.find(hash);
  if (it == entries_.end() || it->second.until <= clock_.Monotonic()) return std::nullopt;
  return it->second.principal;
}

StatusOr<Principal> TokenCache::Resolve(std::string_view token) {
  if (token.empty()) {
    return Refusal(
        Trouble::kUnauthenticated,
        "no token; set PINKA_TOKEN or run `pinka login` with the token an admin gave you");
  }
  if (token.size() > kLongestToken) return NotValid();
  if (auto known = Known(token)) return *std::move(known);
  const std::string hash = Sha256Hex(token);
  StatusOr<std::optional<Principal>> found = lookup_(hash);
  if (!found.ok()) return found.status();
  const Duration now = clock_.Monotonic();
  std::lock_guard lock(mutex_);
  if (!found->has_value()) {
    entries_.erase(hash);
    return NotValid();
  }
  if (entries_.size() >= kMostEntries) {
    std::erase_if(entries_, [now](const auto& entry) { return entry.second.until <= now; });
  }
  entries_[hash] = {**found, now + keep_};
  return **found;
}

}  // namespace pinka::api
