#include "scheduler/api/agent_join.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "scheduler/api/names.h"

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

// What the box writes into its configuration.
void Describe(const Board& board, NodeId id, v1::JoinResponse* response) {
  response->set_lab(board.lab.name);
  for (const Board::Node& node : board.nodes) {
    if (node.row.id != id) continue;
    response->set_node(node.row.name);
    response->set_source(std::string(Name(node.row.source)));
    for (const Board::Tier& tier : board.tiers) {
      if (tier.row.id == node.row.tier) response->set_tier(tier.row.name);
    }
  }
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
    desk.tools().names.Fresh([=, id = outcome.reply.node](BoardPtr board) {
      if (!board) return call->Fail(Unavailable("the scheduler is starting"));
      Describe(*board, id, response);
      call->Done();
    });
  });
}

void RotateNodeKey(Desk& desk, CallPtr call, const v1::RotateKeyRequest& request) {
  if (!IsHash(request.key_hash())) return call->Fail(Invalid("the new key comes as its SHA-256"));
  desk.Do(call, RotateKey{call->who().node, request.key_hash()},
          [call](const Outcome&) { call->Done(); });
}

}  // namespace pinka::api
