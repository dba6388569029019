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
#include "scheduler/runtime/agents.h"

namespace pinka::api {
namespace {

constexpr std::string_view kUnix = "unix:";

StatusOr<std::optional<Principal>> LookUp(db::ReadPool& reads, const std::string& hash) {
  auto owner = db::TokenByHash(reads, hash);
  if (!owner.ok()) return owner.status();
  if (!owner->has_value() || (*owner)->revoked || (*owner)->removed) return std::nullopt;
  const db::TokenOwner& row = **owner;
  Principal who;
  who.member = row.member;
  who.admin = row.admin;
  who.node = row.node;
  who.tier = row.tier;
  who.name = row.node.empty() ? row.name : row.node;
  return who;
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
              parts.blobs, o.files_quota, waits, stopping, options.version}),
        readers(options.readers) {}

  const ServerOptions options;
  Runtime& runtime;
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
  const size_t colon = listen.rfind(':');
  const std::string host = listen.substr(0, colon);
  const bool port =
      colon != std::string::npos && ParseInt(listen.substr(colon + 1), 0, 65'535, "port").ok();
  if (!port) return Invalid(fmt::format("listen = \"{}\": write HOST:PORT or unix:PATH", listen));
  if (host == "127.0.0.1" || host == "[::1]" || host == "localhost") return OkStatus();
  return Invalid(fmt::format(
      "listen = \"{}\": without TLS only 127.0.0.1, [::1] and unix: are served, since tokens would "
      "cross the network in the clear; put a tunnel in front",
      listen));
}

Server::Server(const ServerOptions& options, const ServerParts& parts)
    : state_(std::make_unique<State>(options, parts)) {}

StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                const ServerParts& parts) {
  if (Status s = CheckListen(options.listen); !s.ok()) return s;
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
  int port = 0;
  builder.AddListeningPort(options.listen, grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kMostMessage);
  // Two servers on one port would each get half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Agents and followers behind NAT ping through long silences.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  for (const auto& service : state.services) builder.RegisterService(service.get());
  state.server = builder.BuildAndStart();
  const bool is_unix = options.listen.starts_with(kUnix);
  if (!state.server || (!is_unix && port == 0)) {
    return Invalid(
        fmt::format("cannot listen on {}; does another program use it?", options.listen));
  }
  out->address_ =
      is_unix ? options.listen
              : fmt::format("{}:{}", options.listen.substr(0, options.listen.rfind(':')), port);
  return out;
}

Server::~Server() { Stop(); }

void Server::Stop() {
  if (!state_->server || state_->stopping.exchange(true)) return;
  state_->runtime.agents().ReleaseAll();
  state_->waits.FireAll();
  state_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  state_->server->Wait();
}

}  // namespace pinka::api
