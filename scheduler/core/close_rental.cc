// rental close: a node's paid up-time has ended, as an admin says, where no event told it.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/billing.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

bool OrderedSince(const State& state, NodeId node, Timestamp at) {
  const auto use = state.node_use.find(node);
  if (use == state.node_use.end()) return false;
  return std::ranges::any_of(use->second.attempts, [&](const AttemptId& id) {
    const AttemptRow& attempt = state.attempts.Get(id);
    return attempt.state != AttemptState::kEnded && attempt.ordered_at >= at;
  });
}

std::optional<Reply> RefuseEnd(const State& state, const RentalRow& row, Timestamp at) {
  if (at > state.now)
    return Refuse(Reason::kBadRequest, "a rental closes now or earlier; give --at a past instant");
  const Timestamp least = std::max(row.opened_at, row.posted_at);
  if (at < least) {
    return Refuse(Reason::kConflict,
                  fmt::format("rental {} is accounted for up to {}; close it then or later",
                              row.id.value(), FormatUtc(least)));
  }
  const Money used = TimeCost(row.rule.rate, UnitTime::Millis(row.used_ms + row.since_used_ms));
  const Money time = TimeCost(row.rule.rate, UnitTime::Of(row.units, at - row.opened_at));
  if (at < state.now && (OrderedSince(state, row.node, at) || used > time)) {
    return Refuse(
        Reason::kConflict,
        fmt::format("work ran on rental {} after {}, so the machine was on; close it later",
                    row.id.value(), FormatUtc(at)));
  }
  return std::nullopt;
}

}  // namespace

Reply Do(State& state, const CloseRental& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "rentals are closed by admins");
  const RentalRow* row = state.rentals.Find(command.rental);
  if (!row) {
    return Refuse(Reason::kNoSuchAccount,
                  "no such rental that is open; `pinka admin rental ls` lists them");
  }
  Reply reply;
  reply.first = row->id.value();
  if (row->closed_at) {
    reply.note = fmt::format("rental {} is closed already; nothing was changed", row->id.value());
    return reply;
  }
  if (command.reason.find_first_not_of(' ') == std::string::npos)
    return Refuse(Reason::kBadRequest, "say why the rental is closed by hand with --reason");
  const Timestamp at = command.at ? command.at : state.now;
  if (auto refused = RefuseEnd(state, *row, at)) return *refused;
  Log(state, "rental", std::to_string(row->id.value()), "closed by hand", command.reason,
      command.actor.member);
  EndRental(state, row->id, at);
  reply.count = 1;
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
