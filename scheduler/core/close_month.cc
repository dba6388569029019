// close: the end of a month. What ran in it is posted in it; then nothing is dated in it any more.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// The bounds are the calendar's, where that still reaches; months follow each other.
std::optional<Reply> RefuseBounds(const State& state, const CloseMonth& command) {
  const auto& months = state.months;
  const auto it = std::ranges::find(months, command.start_at, &PeriodRow::start_at);
  const bool known = it != months.end();
  if (command.start_at >= command.end_at || (known && it->end_at != command.end_at))
    return Refuse(Reason::kBadRequest, "that is no month of the lab's calendar");
  const std::string name = MonthName(command.start_at);
  if (command.end_at > state.now) {
    return Refuse(Reason::kConflict,
                  fmt::format("{0} is not over; close it when it has ended, or see how it stands "
                              "with `pinka admin settle --month {0} --dry-run`",
                              name));
  }
  const Timestamp open = ClosedUntil(state);
  if (open && command.start_at > open) {
    return Refuse(Reason::kConflict,
                  fmt::format("{0} is still open, and months are closed one after the other; close "
                              "it first with `pinka admin close --month {0}`",
                              MonthName(open)));
  }
  if (!known && command.start_at != open)
    return Refuse(Reason::kBadRequest, "that is no month of the lab's calendar");
  return std::nullopt;
}

// Attempts that ran in the month and have not been metered past its end.
std::vector<const AttemptRow*> Unmetered(const State& state, Timestamp end_at) {
  std::vector<const AttemptRow*> attempts;
  for (const auto& [id, row] : state.attempts.rows()) {
    const bool ran = row.started_at && row.started_at < end_at;
    if (row.state != AttemptState::kEnded && ran && row.metered_at < end_at)
      attempts.push_back(&row);
  }
  return attempts;
}

// What a bill that reaches into the month bills, and nobody has explained.
std::optional<Reply> RefuseUnknown(const State& state, const CloseMonth& command) {
  for (const auto& [key, line] : state.invoice_lines.rows()) {
    if (line.unknown == Money() || state.invoices.Get(key.first).starts_at >= command.end_at)
      continue;
    return Refuse(
        Reason::kConflict,
        fmt::format("{0} of line {1} of invoice {2} is unknown; say what it was with `pinka "
                    "admin invoice explain {2}:{1} --as ... --reason ...`, then close {3}",
                    FormatAmount(line.unknown, state.lab.currency), key.second, key.first.value(),
                    MonthName(command.start_at)));
  }
  return std::nullopt;
}

Reply RefuseRunning(const State& state, const CloseMonth& command,
                    const std::vector<const AttemptRow*>& attempts) {
  const AttemptRow& first = *attempts.front();
  const std::string more =
      attempts.size() > 1 ? fmt::format(" and {} more", attempts.size() - 1) : "";
  return Refuse(
      Reason::kConflict,
      fmt::format("{} of {}{} has not been metered past the end of {}; wait for its next meter, or "
                  "close with --force, and the rest is charged in the open month",
                  ToString(first.id), MemberName(state, first.member), more,
                  MonthName(command.start_at)));
}

}  // namespace

Reply Do(State& state, const CloseMonth& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "months are closed by admins");
  const std::string name = MonthName(command.start_at);
  Reply reply;
  if (command.start_at < ClosedUntil(state)) {
    reply.note = name + " is closed already; nothing was changed";
    return reply;
  }
  if (auto refused = RefuseBounds(state, command)) return *refused;
  if (auto refused = RefuseUnknown(state, command)) return *refused;
  const std::vector<const AttemptRow*> running = Unmetered(state, command.end_at);
  if (!running.empty() && !command.force) return RefuseRunning(state, command, running);

  PostMonth(state, command.end_at, true);
  MonthRow row;
  row.start_at = command.start_at;
  row.end_at = command.end_at;
  row.closed_at = state.now;
  row.forced = !running.empty();
  row.by = command.actor.member;
  state.closed_months.Put(row.start_at, row);
  for (const AttemptRow* attempt : running) {
    reply.lines.push_back(fmt::format("{} of {}: the rest is charged in the open month",
                                      ToString(attempt->id), MemberName(state, attempt->member)));
  }
  Log(state, "month", name, row.forced ? "closed by force" : "closed", "", command.actor.member);
  reply.count = 1;
  Remember(state, command.actor, command.request, false, 0, 1);
  return reply;
}

}  // namespace pinka
