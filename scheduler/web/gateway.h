// The page's door: HTTP beside gRPC, of the same services. Every call of the page becomes a gRPC
// call through a channel inside the process, with the caller's own token: authentication, openness
// and refusals are the services', and there is nothing here to decide.
//
//   POST /pinka.v1.Service/Method   Connect, unary, JSON (connect.h)
//   POST, DELETE /session           {"token": "…"} becomes a cookie; and is taken back
//   GET  /logs/TASK                 a log as text/plain: ?attempt=N&offset=N&tail=N&download=1
//   GET  /metrics                for Prometheus (metrics.h)
//   GET  /healthz /readyz           it answers; it leads and serves
//   GET  everything else            the page (assets.h)
//
//   auto gateway = Gateway::Start({.listen = "127.0.0.1:0", .assets = "build/page"}, parts);
//   (*gateway)->address();   // "127.0.0.1:41235"
#pragma once

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"

namespace pinka::web {

struct GatewayOptions {
  std::string listen = "127.0.0.1:7071";  // HOST:PORT of loopback, port 0 for a free one
  std::string assets;                     // directory of the built page
  int threads = 64;                       // one a connection, kept for a second between requests
};

struct GatewayParts {
  std::shared_ptr<grpc::Channel> services;
  std::function<bool()> ready;
  std::function<std::string()> metrics;  // "": not now
};

class Gateway {
 public:
  // Refuses an address that is not loopback's, or is taken.
  static StatusOr<std::unique_ptr<Gateway>> Start(const GatewayOptions& options,
                                                  GatewayParts parts);
  ~Gateway();  // stops

  const std::string& address() const { return address_; }
  void Stop();

 private:
  struct State;
  Gateway();
  std::unique_ptr<State> state_;
  std::string address_;
};

}  // namespace pinka::web
