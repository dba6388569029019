// Where a server is, as people write it, and whether TLS is spoken there: everywhere off this
// machine, and on it where an authority is named. Pure.
#pragma once

#include <string>

#include "base/status.h"

namespace pinka {

// "lab.example:7443", "127.0.0.1:7070", "[::1]:7070".
struct HostPort {
  std::string host;  // without brackets
  std::string port;
};
StatusOr<HostPort> ParseHostPort(const std::string& server);

// "unix:PATH", 127.0.0.0/8, ::1 and localhost.
bool IsOnThisMachine(const std::string& server);

}  // namespace pinka
