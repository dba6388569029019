// limit raise: a second row above the one that stands, newer and with an end. The one below stands
// again when it is over, by itself.
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// What stands at the place that is named; null where nothing does. Of a dated limit the start need
// not be told.
const LimitRow* Named(const State& state, const RaiseLimit& command) {
  const LimitRow* found = nullptr;
  for (const auto& [id, row] : state.limits.rows()) {
    const LimitRow& place = command.row;
    const bool same = row.resource == place.resource && row.of == place.of &&
                      row.scope == place.scope && row.member == place.member &&
                      row.tier == place.tier && row.period == place.period;
    if (command.limit ? id != command.limit : !same) continue;
    const auto standing = StandingAt(state, row);
    if (!standing.empty()) found = standing.front();
  }
  return found;
}

// No raise at all, or not one that could end by itself.
std::optional<Reply> NoRaise(const State& state, const LimitRow& stands,
                             const RaiseLimit& command) {
  const auto bad = [](std::string text) { return Refuse(Reason::kBadRequest, std::move(text)); };
  const Timestamp until = command.row.until;
  if (!until || until == Timestamp::Never())
    return bad("a raise ends by itself; say until when, or change the limit in the lab file");
  if (until <= state.now) return bad("the raise would be over already; say a later end");
  if (stands.period == Period::kDated && until > stands.until)
    return bad("the raise would outlast the dated limit that it raises; end it with that at most");
  if (stands.unlimited)
    return bad(LimitTitle(state, stands) + " is unlimited; nothing is above it");
  if (command.row.unlimited || command.row.amount > stands.amount) return std::nullopt;
  return bad(fmt::format("{} is {} already; a raise is above that", LimitTitle(state, stands),
                         LimitAmount(state, stands, stands.amount)));
}

}  // namespace

Reply Do(State& state, const RaiseLimit& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "limits are raised by admins");
  if (command.reason.empty()) return Refuse(Reason::kBadRequest, "a raise needs a reason");
  const LimitRow* stands = Named(state, command);
  if (!stands)
    return Refuse(Reason::kNoSuchEntry,
                  "no such limit stands; `pinka admin limit ls` lists them with their of, tier and "
                  "period");
  if (auto refused = NoRaise(state, *stands, command)) return *refused;
  LimitRow raise = *stands;
  raise.id = LimitId(TakeId(state));
  raise.amount = command.row.amount;
  raise.unlimited = command.row.unlimited;
  if (raise.unlimited) {
    raise.amount = 0;
    raise.notify_at.clear();
    raise.block_at = 0;
  }
  raise.until = command.row.until;
  Log(state, "limit", std::to_string(raise.id.value()), "raised",
      fmt::format(
          "{}: {} -> {}: {}", LimitTitle(state, raise), LimitAmount(state, *stands, stands->amount),
          raise.unlimited ? "unlimited" : LimitAmount(state, raise, raise.amount), command.reason),
      command.actor.member);
  state.limits.Put(raise.id, raise);
  PlanAll(state);
  Reply reply;
  reply.first = raise.id.value();
  reply.count = 1;
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
