// rental open: a node's paid up-time begins, as an admin says, where no event told it.
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

constexpr int64_t kMostDiskGb = 1'000'000;

// Up to when the node's last rental is accounted for: up-time is not billed twice.
Timestamp LastEnd(const State& state, NodeId node) {
  Timestamp last;
  for (const auto& [id, row] : state.rentals.rows()) {
    if (row.node != node) continue;
    last = std::max(last, row.closed_at ? row.closed_at : std::max(row.opened_at, row.posted_at));
  }
  return last;
}

std::optional<Reply> RefuseTimes(const State& state, const OpenRental& command, NodeId node,
                                 Timestamp at) {
  if (command.disk_gb < 0 || command.disk_gb > kMostDiskGb)
    return Refuse(Reason::kBadRequest, "a disk has 0 to 1000000 GB");
  if (at > state.now)
    return Refuse(Reason::kBadRequest, "a rental opens now or earlier; give --at a past instant");
  if (at < ClosedUntil(state)) {
    return Refuse(Reason::kConflict,
                  "that month is closed; open it at the start of the open month or later");
  }
  if (const Timestamp last = LastEnd(state, node); at < last) {
    return Refuse(Reason::kConflict,
                  fmt::format("the last rental of {} goes up to {}, after that; open it later",
                              command.node, FormatUtc(last)));
  }
  return std::nullopt;
}

}  // namespace

Reply Do(State& state, const OpenRental& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "rentals are opened by admins");
  const auto found = state.node_by_name.find(command.node);
  if (found == state.node_by_name.end()) {
    return Refuse(Reason::kNoSuchNode,
                  fmt::format("no such node {}; `pinka nodes` lists them", command.node));
  }
  const NodeRow& node = state.nodes.Get(found->second);
  const BillingRow* billing = BillingAt(state, node.tier, node.source, state.now);
  if (!billing) {
    return Refuse(Reason::kNoRate,
                  fmt::format("tier {} has no billing rule for source {}; write one into lab.toml, "
                              "[[tier]] billing, and apply it",
                              TierName(state, node.tier), Name(node.source)));
  }
  const auto open = state.open_rentals.find(node.id);
  const bool stopped = open != state.open_rentals.end() && state.rentals.Get(open->second).stopped;
  if (open != state.open_rentals.end() && !stopped) {
    return Refuse(Reason::kConflict,
                  fmt::format("rental {0} of {1} is open; close it first with `pinka admin rental "
                              "close {0}`",
                              open->second.value(), command.node));
  }
  const Timestamp at = command.at ? command.at : state.now;
  if (auto refused = RefuseTimes(state, command, node.id, at)) return *refused;
  if (stopped) EndRental(state, open->second, at);
  const RentalId id = StartRental(state, node, *billing, at);
  RentalRow& row = state.rentals.Edit(id);
  row.by_hand = true;
  row.instance = command.instance;
  row.disk_gb = command.disk_gb;
  Reply reply;
  reply.first = id.value();
  reply.count = 1;
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
