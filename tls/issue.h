// A lab's own authority, and the certificate of its server: elliptic keys (P-256), SHA-256.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace pinka {

struct Issued {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

inline constexpr Duration kAuthorityLife = Duration::Days(3'650);
inline constexpr Duration kServerLife = Duration::Days(730);

// `name` is for people.
StatusOr<Issued> IssueAuthority(const std::string& name, Timestamp now,
                                Duration life = kAuthorityLife);

// For hosts and addresses ("lab.example", "203.0.113.7", "::1"); refuses none, and what is neither.
// Its certificate is followed by the authority's, as servers show it. It never outlives that.
StatusOr<Issued> IssueServer(const Issued& authority, const std::vector<std::string>& names,
                             Timestamp now, Duration life = kServerLife);

}  // namespace pinka
