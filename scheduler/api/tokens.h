// New tokens: 256 random bits, of which only the hash is stored; shown once, never logged.
#pragma once

#include <functional>
#include <string>

#include "scheduler/api/call.h"

namespace pinka::api {

std::string NewToken(Random& random);

// Stores a token for `row` (its hash is filled in) and hands its text to `then`. A repeat of the
// request cannot show the first token again: it makes another one, equally good.
void MakeToken(Desk& desk, CallPtr call, const RequestKey& request, TokenRow row,
               std::function<void(const std::string&)> then);

// The same for a box that shall join as `node` (its hash is filled in). The token's text also names
// the authority that vouches for this scheduler, where it has one of its own: "SECRET.SHA256".
void MakeJoinToken(Desk& desk, CallPtr call, const RequestKey& request, AddNode node,
                   std::function<void(const std::string&)> then);

}  // namespace pinka::api
