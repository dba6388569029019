// How a node gets its identity (semantics.md 5): a name that an admin gives, an instance that is
// the box's own, and a key that only its agent knows. All three are bound by a token that works
// once.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/nodes.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

NodeRow* NodeOfToken(State& state, const std::string& join_hash) {
  for (const auto& [name, id] : state.node_by_name) {
    if (state.nodes.Get(id).join_hash == join_hash) return &state.nodes.Edit(id);
  }
  return nullptr;
}

std::optional<Reply> RefuseNode(const State& state, const AddNode& command) {
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "nodes are added by admins");
  const TierRow* tier = state.tiers.Find(command.tier);
  if (!tier || tier->absent)
    return Refuse(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
  auto known = state.node_by_name.find(command.node);
  if (known == state.node_by_name.end()) return std::nullopt;
  const NodeRow& node = state.nodes.Get(known->second);
  if (node.tier != command.tier) {
    return Refuse(Reason::kConflict,
                  "that node belongs to another tier; remove it first or use another name");
  }
  if (node.source != command.source) {
    return Refuse(Reason::kConflict,
                  fmt::format("that node is paid for as {}; remove it first or use another name",
                              Name(node.source)));
  }
  return std::nullopt;
}

Reply Joined(const NodeRow& node) {
  Reply reply;
  reply.node = node.id;
  reply.first = node.id.value();
  reply.count = 1;
  return reply;
}

}  // namespace

Reply Do(State& state, const AddNode& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (auto refused = RefuseNode(state, command)) return *refused;
  const NodeId id = ExpectNode(state, command.node, command.tier, command.source);
  NodeRow& node = state.nodes.Edit(id);
  if (!command.key_hash.empty()) node.key_hash = command.key_hash;
  node.join_hash = command.join_hash;
  node.join_until = command.join_hash.empty() ? Timestamp() : command.join_until;
  node.join_used = false;
  if (!command.join_hash.empty()) {
    Log(state, "node", node.name, "join token made", "until " + FormatUtc(node.join_until),
        command.actor.member);
  }
  Reply reply = Joined(node);
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

Reply Do(State& state, const JoinNode& command) {
  NodeRow* node = NodeOfToken(state, command.join_hash);
  if (!node) {
    return Refuse(Reason::kNotPermitted,
                  "the join token is not valid: a newer one has replaced it, or its node was "
                  "removed; an admin makes one with `pinka admin node join-token`");
  }
  const bool same = node->instance == command.instance && node->key_hash == command.key_hash;
  if (node->join_used && same) return Joined(*node);  // the answer was lost on its way
  if (node->join_used) {
    return Refuse(Reason::kNotPermitted,
                  fmt::format("the join token of {} has been used; each works once, an admin makes "
                              "another with `pinka admin node join-token {}`",
                              node->name, node->name));
  }
  if (state.now >= node->join_until) {
    return Refuse(
        Reason::kNotPermitted,
        fmt::format("the join token of {} ended at {}; an admin makes another with `pinka "
                    "admin node join-token {}`",
                    node->name, FormatUtc(node->join_until), node->name));
  }
  if (auto taken = TakenByAnother(state, *node, command.instance, command.boot_id))
    return Refuse(Reason::kNodeTaken, *taken);
  // Another box counts its process starts anew.
  if (node->instance != command.instance) node->incarnation = 0;
  node->instance = command.instance;
  node->key_hash = command.key_hash;
  node->join_used = true;
  Log(state, "node", node->name, "joined", "instance " + command.instance);
  return Joined(*node);
}

Reply Do(State& state, const RotateKey& command) {
  auto known = state.node_by_name.find(command.node);
  if (known == state.node_by_name.end())
    return Refuse(Reason::kNoSuchNode, "this node was removed; ask an admin for a new join token");
  NodeRow& node = state.nodes.Edit(known->second);
  if (auto given = GivenToAnother(node, command.instance))
    return Refuse(Reason::kNodeTaken, *given);
  if (node.key_hash == command.key_hash) return Joined(node);
  node.key_hash = command.key_hash;
  Log(state, "node", node.name, "key rotated");
  return Joined(node);
}

}  // namespace pinka
