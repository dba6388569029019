// rental close: a node's paid up-time has ended, as an admin says, where no event told it.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/billing.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

constexpr int64_t kMostBytes = 1'000'000'000'000'000;  // a million GB

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
  const BillingRule rule = RuleOf(row);
  const Money used = TimeCost(rule.rate, UnitTime::Millis(row.used_ms + row.since_used_ms));
  const Money time = TimeCost(rule.rate, UnitTime::Of(row.units, at - row.opened_at));
  if (at < state.now && (OrderedSince(state, row.node, at) || used > time)) {
    return Refuse(
        Reason::kConflict,
        fmt::format("work ran on rental {} after {}, so the machine was on; close it later",
                    row.id.value(), FormatUtc(at)));
  }
  return std::nullopt;
}

// What left the machine is told once: by hand, or by the provider's bill.
std::optional<Reply> RefuseEgress(const State& state, const CloseRental& command,
                                  const RentalRow& row) {
  if (command.egress_bytes == 0) return std::nullopt;
  if (command.egress_bytes < 0 || command.egress_bytes > kMostBytes)
    return Refuse(Reason::kBadRequest, "0 to 1000000 GB leave a machine");
  if (row.rule.egress == Money()) {
    return Refuse(
        Reason::kBadRequest,
        fmt::format("the rule of rental {} bills nothing for egress; leave --egress-gb out",
                    row.id.value()));
  }
  if (row.egress_bytes != 0) {
    return Refuse(Reason::kConflict,
                  fmt::format("what left the machine of rental {} has been booked already: {}",
                              row.id.value(), FormatAmount(row.egress, state.lab.currency)));
  }
  const auto covered = state.covered.find(row.id);
  if (covered == state.covered.end() || !covered->second.egress_until) return std::nullopt;
  return Refuse(Reason::kConflict,
                fmt::format("a bill of {} has what left the machine of rental {} on it already; "
                            "leave --egress-gb out",
                            row.provider, row.id.value()));
}

std::optional<Reply> RefuseStopped(const State& state, const CloseRental& command,
                                   const RentalRow& row) {
  if (!command.stopped) return std::nullopt;
  const bool billed = row.rule.stopped_rate > Rate() || (row.rule.disk > Rate() && row.disk_gb > 0);
  if (row.stopped || !billed) {
    const char* why = row.stopped ? "is of a stopped machine already"
                                  : "has neither a stopped rate nor a disk; leave --stopped out";
    return Refuse(Reason::kBadRequest, fmt::format("rental {} {}", row.id.value(), why));
  }
  const auto use = state.node_use.find(row.node);
  if (use == state.node_use.end() || use->second.live == 0) return std::nullopt;
  return Refuse(
      Reason::kConflict,
      fmt::format("work runs on rental {}, so the machine is on; drain it first", row.id.value()));
}

std::optional<Reply> RefuseClosed(const State& state, const CloseRental& command,
                                  const RentalRow& row) {
  if (row.closed_at) {
    if (!command.stopped) return std::nullopt;
    return Refuse(Reason::kConflict,
                  fmt::format("rental {} is closed already; open one with `pinka "
                              "admin rental open` and stop that",
                              row.id.value()));
  }
  return RefuseEnd(state, row, command.at ? command.at : state.now);
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
  if (row->closed_at && command.egress_bytes == 0 && !command.stopped) {
    reply.note = fmt::format("rental {} is closed already; nothing was changed", row->id.value());
    return reply;
  }
  if (command.reason.find_first_not_of(' ') == std::string::npos)
    return Refuse(Reason::kBadRequest, "say why the rental is closed by hand with --reason");
  if (auto refused = RefuseClosed(state, command, *row)) return *refused;
  if (auto refused = RefuseEgress(state, command, *row)) return *refused;
  if (auto refused = RefuseStopped(state, command, *row)) return *refused;
  const RentalId id = row->id;
  Log(state, "rental", std::to_string(id.value()),
      row->closed_at ? "egress by hand" : "closed by hand", command.reason, command.actor.member);
  if (row->closed_at) {
    AddEgress(state, id, command.egress_bytes);
  } else {
    state.rentals.Edit(id).egress_bytes = command.egress_bytes;
    EndRental(state, id, command.at ? command.at : state.now);
  }
  if (command.stopped) {
    reply.note =
        fmt::format("rental {} goes on for the stopped machine", KeepStopped(state, id).value());
  }
  reply.count = 1;
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
