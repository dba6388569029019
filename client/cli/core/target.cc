#include "client/cli/core/target.h"

#include <algorithm>
#include <cctype>

#include "base/parse.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

bool LooksLikeIpv4(const std::string& host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return std::isdigit(c) != 0 || c == '.';
  });
}

}  // namespace

StatusOr<std::string> GrpcTarget(const std::string& server) {
  if (server.starts_with("unix:")) return server;
  if (server.find("://") != std::string::npos) {
    return Invalid("'" + server + "' is a web address; write the server as HOST:PORT");
  }
  const size_t colon = server.rfind(':');
  if (colon == std::string::npos || colon == 0 || server.back() == ']') {
    return Invalid("'" + server + "' names no port; write the server as HOST:PORT");
  }
  const std::string host = server.substr(0, colon);
  PINKA_TRY_ASSIGN(const int64_t port, ParseInt(server.substr(colon + 1), 1, 65'535, "the port"));
  const std::string tail = ":" + std::to_string(port);
  if (host == "localhost") return "ipv4:127.0.0.1" + tail;
  if (host.front() == '[') return "ipv6:" + host + tail;
  if (LooksLikeIpv4(host)) return "ipv4:" + host + tail;
  return "dns:///" + host + tail;
}

}  // namespace pinka::cli
