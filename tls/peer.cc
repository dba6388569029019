#include "tls/peer.h"

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka {

StatusOr<HostPort> ParseHostPort(const std::string& server) {
  const size_t colon = server.rfind(':');
  const std::string host = server.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const bool plain = !host.empty() && host.find_first_of(":[]/ ") == std::string::npos;
  const bool port =
      colon != std::string::npos && ParseInt(server.substr(colon + 1), 1, 65'535, "the port").ok();
  if (!port || (!bracketed && !plain))
    return Invalid(fmt::format("'{}' is no address; write the server as HOST:PORT", server));
  return HostPort{bracketed ? host.substr(1, host.size() - 2) : host, server.substr(colon + 1)};
}

bool IsOnThisMachine(const std::string& server) {
  if (server.starts_with("unix:")) return true;
  StatusOr<HostPort> parsed = ParseHostPort(server);
  if (!parsed.ok()) return false;
  const std::string& host = parsed->host;
  const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "::1" || (numeric && host.starts_with("127."));
}

}  // namespace pinka
