// The gRPC server: all services on one address, loopback or a unix socket, without TLS; and on
// another with it.
//
//   auto server = Server::Start({.listen = "127.0.0.1:0"}, {runtime, logs, blobs, reads,
//                                                            clock, random});
//   (*server)->address();   // "127.0.0.1:41234"
//   (*server)->Stop();      // before the runtime stops
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "db/pool.h"
#include "scheduler/runtime/blobs.h"
#include "scheduler/runtime/logs.h"
#include "scheduler/runtime/runtime.h"

namespace grpc {
class ServerBuilder;
}

namespace pinka::api {

// The address for everybody off this machine. Made by daemon/tls_files.h.
struct TlsListen {
  std::string listen;       // HOST:PORT; "": none
  std::string certificate;  // PEM: the server's own, then those that vouch for it
  std::string key;          // PEM
  std::string name;         // what boxes call this machine: a name of the certificate
  std::string ca_pin;       // WayIn
};

inline constexpr int64_t kFilesQuota = int64_t{100} << 30;

struct ServerOptions {
  std::string listen = "127.0.0.1:7070";  // HOST:PORT, port 0 for a free one, or unix:PATH
  TlsListen tls = {};
  int readers = 4;  // threads that may block; as many as the pool has
  std::string version = "0.1.0";
  int64_t files_quota = kFilesQuota;  // bytes of files that a member may keep
};

// All of them outlive the server.
struct ServerParts {
  Runtime& runtime;
  LogStore& logs;
  Blobs& blobs;
  db::ReadPool& reads;
  const Clock& clock;
  Random& random;
};

// OK where `listen` may be served without TLS; else why not and what to do.
Status CheckListen(const std::string& listen);
// OK where it may be served with TLS: any HOST:PORT.
Status CheckTlsListen(const std::string& listen);

class Server {
 public:
  static StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                 const ServerParts& parts);
  ~Server();  // stops

  const std::string& address() const { return address_; }
  // A channel to the same services without a socket.
  std::shared_ptr<grpc::Channel> InProcess();
  const std::string& tls_address() const { return tls_address_; }  // "": none
  // Takes no new calls, answers those that are held, and cuts off the rest after a moment.
  void Stop();

 private:
  struct State;
  Server(const ServerOptions& options, const ServerParts& parts);
  std::unique_ptr<State> state_;
  Status Build(grpc::ServerBuilder* builder);
  std::string address_;
  std::string tls_address_;
};

}  // namespace pinka::api
