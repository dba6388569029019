// The server of one invocation, and whom to believe about it.
#pragma once

#include <string>

#include "base/status.h"
#include "client/cli/core/context.h"

namespace pinka::cli {

struct Endpoint {
  std::string server;  // as people write it
  std::string target;  // as gRPC names it
  std::string token;
  std::string authorities;  // PEM; "": no TLS
};

// TLS is spoken to every other machine, and to this one where an authority is named.
bool WantsTls(const std::string& server, const std::string& ca);

// Refuses an address that is none and an authority's file that cannot be read.
StatusOr<Endpoint> EndpointOf(const std::string& server, const std::string& ca,
                              const std::string& token);

}  // namespace pinka::cli
