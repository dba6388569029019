// settle: who hands whom what, so that what members used of each other's money in a closed month,
// and before it, comes to nothing. Done once a month.
#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/positions.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// The month settled last; none: none.
Timestamp LastSettled(const State& state) {
  Timestamp last;
  for (const auto& [start_at, row] : state.closed_months.rows()) {
    if (row.settled_at) last = start_at;
  }
  return last;
}

// What was read belongs to this month and to what core knows.
bool Fits(const State& state, const SettleMonth& command) {
  MemberId before;
  for (const PositionRow& row : command.positions) {
    if (row.month != command.month || row.member <= before) return false;
    if (!state.members.Find(row.member)) return false;
    before = row.member;
  }
  return command.since == LastSettled(state) && AddUp(command.positions);
}

std::optional<Reply> RefuseMonth(const State& state, const SettleMonth& command) {
  const std::string name = MonthName(command.month);
  if (!state.closed_months.Find(command.month)) {
    return Refuse(Reason::kConflict,
                  fmt::format("{0} is still open; close it first with `pinka admin close --month "
                              "{0}`, or look at it with --dry-run",
                              name));
  }
  if (const Timestamp last = LastSettled(state); command.month < last) {
    return Refuse(Reason::kConflict,
                  fmt::format("{} was settled with {}: positions add up from the first entry on",
                              name, MonthName(last)));
  }
  if (!Fits(state, command)) {
    return Refuse(Reason::kConflict,
                  "something else was settled in between; ask again, nothing was changed");
  }
  return std::nullopt;
}

}  // namespace

Reply Do(State& state, const SettleMonth& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "months are settled by admins");
  const std::string name = MonthName(command.month);
  Reply reply;
  const MonthRow* month = state.closed_months.Find(command.month);
  if (month && month->settled_at) {
    reply.note = name + " is settled already; nothing was changed";
    return reply;
  }
  if (auto refused = RefuseMonth(state, command)) return *refused;

  MonthRow& row = state.closed_months.Edit(command.month);
  row.settled_at = state.now;
  row.spread = command.spread;
  row.settled_by = command.actor.member;
  state.out.positions.insert(state.out.positions.end(), command.positions.begin(),
                             command.positions.end());
  for (const Proposal& proposal : ProposePayments(command.positions)) {
    PaymentRow payment;
    payment.id = PaymentId(TakeId(state));
    payment.month = command.month;
    payment.from = proposal.from;
    payment.to = proposal.to;
    payment.amount = proposal.amount;
    payment.proposed_at = state.now;
    if (reply.first == 0) reply.first = payment.id.value();
    ++reply.count;
    state.payments.Put(payment.id, payment);
  }
  Log(state, "month", name, "settled", fmt::format("{} payment(s)", reply.count),
      command.actor.member);
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
