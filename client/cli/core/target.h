// "HOST:PORT" as people write it, as gRPC names it.
#pragma once

#include <string>

#include "base/status.h"

namespace pinka::cli {

// "127.0.0.1:7070" and "localhost:7070" become "ipv4:127.0.0.1:7070" (no name to look up),
// "[::1]:7070" "ipv6:[::1]:7070", "unix:/path" stays, other names go through DNS. A missing port
// and a web address are refused with what would be right.
StatusOr<std::string> GrpcTarget(const std::string& server);

}  // namespace pinka::cli
