#include "scheduler/api/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "db/reads_lab.h"
#include "fmt/format.h"
#include "scheduler/api/admin_service.h"
#include "scheduler/api/advice_service.h"
#include "scheduler/api/agent_service.h"
#include "scheduler/api/call.h"
#include "scheduler/api/files_service.h"
#include "scheduler/api/invoice_service.h"
#include "scheduler/api/job_service.h"
#include "scheduler/api/ledger_service.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/month_service.h"
#include "scheduler/api/node_service.h"
#include "scheduler/api/package_service.h"
#include "scheduler/api/rental_service.h"
#include "scheduler/api/report_service.h"
#include "scheduler/api/standing_service.h"
#include "scheduler/api/status_table.h"
#include "scheduler/runtime/agents.h"

namespace pinka::api {
namespace {

constexpr std::string_view kUnix = "unix:";

std::string HostOf(const std::string& listen) { return listen.substr(0, listen.rfind(':')); }

bool HasPort(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  return colon != std::string::npos && ParseInt(listen.substr(colon + 1), 0, 65'535, "port").ok();
}

// An agent whose node was removed is told so, and ends what it still runs.
StatusOr<std::optional<Principal>> LookUpNode(db::ReadPool& reads, const std::string& hash) {
  auto owner = db::NodeByKey(reads, hash);
  if (!owner.ok()) return owner.status();
  if (!owner->has_value()) return std::nullopt;
  const db::KeyOwner& row = **owner;
  if (row.removed)
    return Refusal(Reason::kNoSuchNode,
                   fmt::format("node {} was removed from the lab; an admin makes a join token with "
                               "`pinka admin node join-token {}`",
                               row.node, row.node));
  return Principal{{}, row.node, false, row.node, row.tier};
}

StatusOr<std::optional<Principal>> LookUp(db::ReadPool& reads, const std::string& hash) {
  auto owner = db::TokenByHash(reads, hash);
  if (!owner.ok()) return owner.status();
  if (!owner->has_value()) return LookUpNode(reads, hash);
  const db::TokenOwner& row = **owner;
  if (row.revoked || row.removed) return std::nullopt;
  return Principal{row.member, row.name, row.admin, "", {}};
}

}  // namespace

struct Server::State {
  State(const ServerOptions& o, const ServerParts& parts)
      : options(o),
        runtime(parts.runtime),
        tokens(parts.clock,
               [&reads = parts.reads](const std::string& hash) { return LookUp(reads, hash); }),
        names(parts.runtime, parts.clock),
        desk({parts.runtime, parts.reads, readers, tokens, names, parts.clock, parts.random,
              parts.blobs, options.files_quota, waits, stopping, options.version, way_in}),
        readers(options.readers) {}

  const ServerOptions options;
  Runtime& runtime;
  WayIn way_in;  // filled in before the first call
  std::atomic<bool> stopping{false};
  Waits waits;
  TokenCache tokens;
  Names names;
  Desk desk;
  std::vector<std::unique_ptr<grpc::Service>> services;
  Readers readers;  // ends before all that its jobs use
  std::unique_ptr<grpc::Server> server;
};

Status CheckListen(const std::string& listen) {
  if (listen.starts_with(kUnix) && listen.size() > kUnix.size()) return OkStatus();
  if (!HasPort(listen))
    return Invalid(fmt::format("listen = \"{}\": write HOST:PORT or unix:PATH", listen));
  const std::string host = HostOf(listen);
  if (host == "127.0.0.1" || host == "[::1]" || host == "localhost") return OkStatus();
  return Invalid(fmt::format(
      "listen = \"{}\": without TLS only 127.0.0.1, [::1] and unix: are served, since tokens would "
      "cross the network in the clear; write it as tls_listen, with a certificate from `pinkad "
      "cert "
      "init`",
      listen));
}

Status CheckTlsListen(const std::string& listen) {
  if (HasPort(listen) && !HostOf(listen).empty()) return OkStatus();
  return Invalid(
      fmt::format("tls_listen = \"{}\": write HOST:PORT, such as 0.0.0.0:7443 for every network of "
                  "this machine",
                  listen));
}

Server::Server(const ServerOptions& options, const ServerParts& parts)
    : state_(std::make_unique<State>(options, parts)) {}

StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                const ServerParts& parts) {
  if (Status s = CheckListen(options.listen); !s.ok()) return s;
  const std::string& tls = options.tls.listen;
  if (Status s = tls.empty() ? OkStatus() : CheckTlsListen(tls); !s.ok()) return s;
  std::unique_ptr<Server> out(new Server(options, parts));
  State& state = *out->state_;
  state.services.push_back(MakeJobService(state.desk, parts.logs));
  state.services.push_back(MakeAgentService(state.desk, parts.logs));
  state.services.push_back(MakeFilesService(state.desk));
  state.services.push_back(MakeNodeService(state.desk));
  state.services.push_back(MakeLedgerService(state.desk));
  state.services.push_back(MakePackageService(state.desk));
  state.services.push_back(MakeMonthService(state.desk));
  state.services.push_back(MakeRentalService(state.desk));
  state.services.push_back(MakeInvoiceService(state.desk));
  state.services.push_back(MakeReportService(state.desk));
  state.services.push_back(MakeStandingService(state.desk));
  state.services.push_back(MakeAdminService(state.desk));
  state.services.push_back(MakeAdviceService(state.desk));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMostMessage);
  // Two servers on one port would each get half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Agents and followers behind NAT ping through long silences.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // A peer that has vanished without a word holds a call: it is found out, and its call ends.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  for (const auto& service : state.services) builder.RegisterService(service.get());
  if (Status s = out->Build(&builder); !s.ok()) return s;
  return out;
}

Status Server::Build(grpc::ServerBuilder* builder) {
  const std::string& listen = state_->options.listen;
  const TlsListen& tls = state_->options.tls;
  int port = 0;
  int tls_port = 0;
  builder->AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
  if (!tls.listen.empty()) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({tls.key, tls.certificate});
    builder->AddListeningPort(tls.listen, grpc::SslServerCredentials(options), &tls_port);
  }
  state_->server = builder->BuildAndStart();
  const bool is_unix = listen.starts_with(kUnix);
  const bool plain_failed = !is_unix && port == 0;
  const bool tls_failed = !tls.listen.empty() && tls_port == 0;
  if (!state_->server || plain_failed || tls_failed) {
    return Invalid(fmt::format("cannot listen on {}; does another program use it?",
                               plain_failed || !tls_failed ? listen : tls.listen));
  }
  address_ = is_unix ? listen : HostOf(listen) + ":" + std::to_string(port);
  if (tls.listen.empty()) return OkStatus();
  tls_address_ = HostOf(tls.listen) + ":" + std::to_string(tls_port);
  state_->way_in = {tls.name + ":" + std::to_string(tls_port), tls.ca_pin};
  return OkStatus();
}

Server::~Server() { Stop(); }

std::shared_ptr<grpc::Channel> Server::InProcess() { return state_->server->InProcessChannel({}); }

void Server::Stop() {
  if (!state_->server || state_->stopping.exchange(true)) return;
  state_->runtime.agents().ReleaseAll();
  state_->waits.FireAll();
  state_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  state_->server->Wait();
}

}  // namespace pinka::api
