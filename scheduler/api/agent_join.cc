#include "scheduler/api/agent_join.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "scheduler/core/state.h"

namespace pinka::api {
namespace {

constexpr int kMostIdChars = 200;

bool IsHash(const std::string& text) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 64 && std::ranges::all_of(text, hex);
}

Status CheckJoin(const v1::JoinRequest& request) {
  if (request.token().empty() || request.token().size() > kMostIdChars)
    return Invalid("the request has no join token; an admin makes one");
  if (!IsPrintableName(request.instance(), kMostIdChars) ||
      !IsPrintableName(request.boot_id(), kMostIdChars))
    return Invalid("a box joins with its instance and boot id, short printable ids");
  if (!IsHash(request.key_hash())) return Invalid("a box joins with the SHA-256 of its key");
  return OkStatus();
}

// What the box writes into its configuration; of this moment, for a board may be older than the
// node.
v1::JoinResponse Describe(const State& state, NodeId id) {
  v1::JoinResponse out;
  out.set_lab(state.lab.name);
  const NodeRow* node = state.nodes.Find(id);
  if (!node) return out;  // removed in this moment: the box hears of it with its first report
  out.set_node(node->name);
  out.set_tier(state.tiers.Get(node->tier).name);
  out.set_source(std::string(Name(node->source)));
  return out;
}

}  // namespace

void JoinNode(Desk& desk, CallPtr call, const v1::JoinRequest& request,
              v1::JoinResponse* response) {
  if (Status s = CheckJoin(request); !s.ok()) return call->Fail(s);
  pinka::JoinNode command;
  command.join_hash = Sha256Hex(request.token());
  command.key_hash = request.key_hash();
  command.instance = request.instance();
  command.boot_id = request.boot_id();
  desk.Do(call, std::move(command), [=, &desk](const Outcome& outcome) {
    desk.tools().runtime.Look(
        [=, id = outcome.reply.node](const State& state) { *response = Describe(state, id); },
        [call](const Outcome& looked) {
          if (Status s = StatusOf(looked); !s.ok()) return call->Fail(s);
          call->Done();
        });
  });
}

void RotateNodeKey(Desk& desk, CallPtr call, const v1::RotateKeyRequest& request) {
  if (!IsHash(request.key_hash())) return call->Fail(Invalid("the new key comes as its SHA-256"));
  desk.Do(call, RotateKey{call->who().node, request.key_hash(), request.instance()},
          [call](const Outcome&) { call->Done(); });
}

}  // namespace pinka::api
