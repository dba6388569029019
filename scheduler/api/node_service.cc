#include "scheduler/api/node_service.h"

#include <algorithm>

#include "base/hash.h"
#include "db/reads_hardware.h"
#include "db/reads_lab.h"
#include "db/reads_rentals.h"
#include "fmt/format.h"
#include "pinka/v1/node.grpc.pb.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/tokens.h"
#include "scheduler/core/billing.h"
#include "scheduler/core/hardware.h"
#include "scheduler/runtime/agents.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

constexpr int32_t kMostChecks = 100;

// Why it takes no work, or not on all of its cards.
std::string ReasonOf(const NodeRow& row) {
  const bool both = !row.reason.empty() && !row.unfit.empty();
  if (!row.reason.empty() || !row.unfit.empty()) return row.reason + (both ? "; " : "") + row.unfit;
  for (const Gpu& gpu : row.gpus) {
    if (gpu.fault.empty()) continue;
    const auto out = static_cast<int32_t>(row.gpus.size()) - WorkingGpus(row);
    return fmt::format("{} of {} cards out of use: {}: {}", out, row.gpus.size(), gpu.uuid,
                       gpu.fault);
  }
  return "";
}

void FillNode(const db::NodeLine& line, Timestamp heard, v1::Node* out) {
  const NodeRow& row = line.row;
  const bool cards = !row.gpus.empty();
  const auto gpus = static_cast<int32_t>(row.gpus.size());
  const int32_t working = WorkingGpus(row);
  out->set_name(row.name);
  out->set_tier(line.tier);
  out->set_state(static_cast<v1::NodeState::Value>(static_cast<int>(row.state) + 1));
  out->set_units(row.units);
  out->set_units_free(std::max(row.units - line.units_used, 0));
  out->set_gpus(cards ? gpus : row.units);
  out->set_gpus_free(cards ? std::max(working - line.gpus_used, 0) : out->units_free());
  out->set_simulated(row.simulated);
  out->set_reason(ReasonOf(row));
  out->set_cpus(row.cpus);
  out->set_memory_bytes(row.memory);
  out->set_running(line.running);
  out->set_source(std::string(Name(row.source)));
  SetTime(heard, [&] { return out->mutable_last_seen_at(); });
}

// The node's open rental, where it has one.
void FillRental(const std::vector<db::RentalLine>& open, NodeId node, Timestamp now,
                v1::Node* out) {
  const auto line =
      std::ranges::find(open, node, [](const db::RentalLine& l) { return l.row.node; });
  if (line == open.end() || now < line->row.opened_at) return;
  const Duration left = PaidUntil(line->row.rule, line->row.opened_at, now) - now;
  out->set_rental_id(line->row.id.value());
  out->set_provider(line->row.provider);
  out->set_paid_minutes_left(std::max(left, Duration()).seconds() / 60);
}

StatusOr<Duration> TokenLife(int64_t valid_ms) {
  if (valid_ms == 0) return Duration::Hours(1);
  const Duration valid = Duration::Millis(std::clamp<int64_t>(valid_ms, 0, INT64_MAX / 1'000));
  if (valid >= Duration::Minutes(1) && valid <= Duration::Days(7)) return valid;
  return Invalid("a join token is valid for a minute at least and seven days at most");
}

StatusOr<pinka::ChangeNode> ConvertChange(const v1::ChangeNodeRequest& request) {
  pinka::ChangeNode command;
  StatusOr<RequestKey> key = KeyOf(request);
  if (!key.ok()) return key.status();
  command.request = *key;
  if (Status s = CheckName(request.node(), "node"); !s.ok()) return s;
  if (Status s = CheckText(request.reason(), kMostTextChars, "reason"); !s.ok()) return s;
  command.node = request.node();
  command.reason = request.reason();
  command.dead = request.dead();
  switch (request.verb()) {
    case v1::ChangeNodeRequest::DRAIN:
      command.verb = NodeVerb::kDrain;
      return command;
    case v1::ChangeNodeRequest::RESUME:
      command.verb = NodeVerb::kResume;
      return command;
    case v1::ChangeNodeRequest::REMOVE:
      command.verb = NodeVerb::kRemove;
      return command;
    case v1::ChangeNodeRequest::VERIFY:
      command.verb = NodeVerb::kVerify;
      return command;
    case v1::ChangeNodeRequest::RECLAIM:
      command.verb = NodeVerb::kReclaim;
      return command;
    default:
      return Invalid("no verb: drain, resume, remove, verify or reclaim");
  }
}

void FillCheck(const HardwareCheckRow& row, v1::HardwareCheckLine* out) {
  *out->mutable_at() = ToProto(row.at);
  v1::HardwareReport* report = out->mutable_report();
  report->set_id(row.check);
  report->set_verdict(static_cast<v1::HardwareReport::Verdict>(static_cast<int>(row.verdict)));
  report->set_why(row.why);
  report->set_cause(row.cause);
  report->set_demand(row.demand);
  report->set_evidence(row.evidence);
}

class NodeService final : public v1::NodeService::CallbackService {
 public:
  explicit NodeService(Desk& desk) : desk_(desk) {}

  Reactor* ListNodes(Context* context, const v1::ListNodesRequest*,
                     v1::ListNodesResponse* response) override {
    return desk_.Open(context, "pinka.v1.NodeService.ListNodes", [=, this](CallPtr call) {
      desk_.Read(call, [=, this] {
        auto lines = db::ListNodes(desk_.database());
        if (!lines.ok()) return call->Fail(lines.status());
        auto rentals = db::ReadRentals(desk_.database(), {}, false);
        if (!rentals.ok()) return call->Fail(rentals.status());
        const Timestamp now = desk_.tools().clock.Now();
        for (const db::NodeLine& line : *lines) {
          v1::Node* node = response->add_nodes();
          FillNode(line, LastHeard(line.row.name), node);
          FillRental(*rentals, line.row.id, now, node);
        }
        *response->mutable_as_of() = ToProto(now);
        call->Done();
      });
    });
  }

  Reactor* CreateJoinToken(Context* context, const v1::CreateJoinTokenRequest* request,
                           v1::CreateJoinTokenResponse* response) override {
    return desk_.Open(context, "pinka.v1.NodeService.CreateJoinToken", [=, this](CallPtr call) {
      if (Status s = CheckName(request->node(), "node"); !s.ok()) return call->Fail(s);
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      desk_.tools().names.Fresh([=, this, key = *key](BoardPtr board) {
        const Board::Tier* tier = FindTier(*board, request->tier());
        if (!tier)
          return call->Refuse(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
        AddNode command;
        command.actor = call->actor();
        command.node = request->node();
        command.tier = tier->row.id;
        const std::string& source = request->source();
        if (!source.empty() && !FromName(source, &command.source))
          return call->Fail(
              Invalid("a node is paid for as owned, package, spot, on_demand or trial"));
        StatusOr<Duration> valid = TokenLife(request->valid_ms());
        if (!valid.ok()) return call->Fail(valid.status());
        command.join_until = desk_.tools().clock.Now() + *valid;
        *response->mutable_expires_at() = ToProto(command.join_until);
        response->set_server(desk_.tools().way_in.server);
        MakeJoinToken(desk_, call, key, command, [=](const std::string& token) {
          response->set_token(token);
          call->Done();
        });
      });
    });
  }

  Reactor* ChangeNode(Context* context, const v1::ChangeNodeRequest* request,
                      v1::ChangeNodeResponse* response) override {
    return desk_.Open(context, "pinka.v1.NodeService.ChangeNode", [=, this](CallPtr call) {
      StatusOr<pinka::ChangeNode> command = ConvertChange(*request);
      if (!command.ok()) return call->Fail(command.status());
      command->actor = call->actor();
      desk_.Do(call, *std::move(command), [=, this](const Outcome&) {
        desk_.Read(call, [=, this] { Changed(call, *request, response); });
      });
    });
  }

  Reactor* ListHardwareChecks(Context* context, const v1::ListHardwareChecksRequest* request,
                              v1::ListHardwareChecksResponse* response) override {
    return desk_.Open(context, "pinka.v1.NodeService.ListHardwareChecks", [=, this](CallPtr call) {
      if (Status s = CheckName(request->node(), "node"); !s.ok()) return call->Fail(s);
      desk_.Read(call, [=, this] {
        const int64_t most = std::clamp(request->limit(), 1, kMostChecks);
        auto standing = db::HardwareOf(desk_.database(), request->node());
        if (!standing.ok()) return call->Fail(standing.status());
        auto checks = db::HardwareChecksOf(desk_.database(), request->node(), most);
        if (!checks.ok()) return call->Fail(checks.status());
        if (standing->has_value()) response->set_demanded((*standing)->demanded);
        for (const HardwareCheckRow& row : *checks) FillCheck(row, response->add_checks());
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  }

 private:
  Timestamp LastHeard(const std::string& node) const {
    return desk_.tools().runtime.agents().LastHeard(node);
  }

  // A node that was removed is in no list any more.
  void Changed(CallPtr call, const v1::ChangeNodeRequest& request,
               v1::ChangeNodeResponse* response) {
    auto lines = db::ListNodes(desk_.database());
    if (!lines.ok()) return call->Fail(lines.status());
    response->mutable_node()->set_name(request.node());
    response->mutable_node()->set_state(v1::NodeState::STOPPED);
    for (const db::NodeLine& line : *lines) {
      if (line.row.name == request.node())
        FillNode(line, LastHeard(line.row.name), response->mutable_node());
    }
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    call->Done();
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeNodeService(Desk& desk) {
  return std::make_unique<NodeService>(desk);
}

}  // namespace pinka::api
