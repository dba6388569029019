#include "client/cli/core/endpoint.h"

#include "base/file.h"
#include "client/cli/core/target.h"
#include "client/cli/core/try.h"
#include "fmt/format.h"
#include "tls/authorities.h"
#include "tls/peer.h"

namespace pinka::cli {

bool WantsTls(const std::string& server, const std::string& ca) {
  return !server.empty() && (!ca.empty() || !IsOnThisMachine(server));
}

StatusOr<Endpoint> EndpointOf(const std::string& server, const std::string& ca,
                              const std::string& token) {
  PINKA_TRY_ASSIGN(const std::string target, GrpcTarget(server));
  Endpoint endpoint{.server = server, .target = target, .token = token, .authorities = {}};
  if (!WantsTls(server, ca)) return endpoint;
  PINKA_TRY_ASSIGN(endpoint.authorities, ca.empty() ? SystemAuthorities() : ReadFile(ca));
  if (endpoint.authorities.find("BEGIN CERTIFICATE") != std::string::npos) return endpoint;
  return Invalid(fmt::format("{} holds no certificate (PEM); an admin has the lab's ca.pem", ca));
}

}  // namespace pinka::cli
