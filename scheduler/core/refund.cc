// refund: gives back what was charged, or a part of it (semantics.md 8). Several stand side by
// side, together at most the charge.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/entries.h"
#include "scheduler/core/money.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/return_hours.h"

namespace pinka {
namespace {

// Money, hours of packages, or all that is left of both.
bool Asks(const Refund& command, const NamedEntry& charge) {
  if (IsCostOfHours(charge)) return false;
  return command.all || IsHours(charge) == (command.unit_ms > 0);
}

Money Wanted(const Refund& command) {
  return command.unit_ms > 0 ? Money::Micros(command.unit_ms) : command.amount;
}

std::optional<Reply> RefuseAmount(const Refund& command) {
  if (command.unit_ms < 0 || command.amount < Money())
    return Refuse(Reason::kBadRequest, "a refund is more than 0");
  const int said =
      (command.all ? 1 : 0) + (command.unit_ms > 0 ? 1 : 0) + (command.amount > Money() ? 1 : 0);
  if (said == 1) return std::nullopt;
  return Refuse(Reason::kBadRequest, said == 0
                                         ? "a refund is more than 0"
                                         : "say an amount, hours or all, and only one of them");
}

// What a charge by itself is: money, hours, or what hours cost.
std::optional<Reply> RefuseKind(const Refund& command, const NamedEntry& entry) {
  const int64_t id = entry.row.id.value();
  if (entry.row.kind != TransferKind::kCharge) {
    return Refuse(Reason::kBadRequest,
                  fmt::format("entry {} is of kind {}, and only charges are refunded; `pinka "
                              "admin correct` changes other entries",
                              id, Name(entry.row.kind)));
  }
  if (!IsCostOfHours(entry)) return std::nullopt;
  for (const NamedEntry& hours : command.entries) {
    const bool same = hours.row.attempt == entry.row.attempt && hours.row.at == entry.row.at;
    if (!IsHours(hours) || !same || hours.row.kind != TransferKind::kCharge) continue;
    return Refuse(Reason::kBadRequest,
                  fmt::format("entry {0} is what hours of a package have cost; give back the hours "
                              "themselves, entry {1}, as in `pinka admin refund {1} 1h30m`",
                              id, hours.row.id.value()));
  }
  return Refuse(Reason::kBadRequest,
                fmt::format("entry {} is what hours of a package have cost; give back the hours "
                            "themselves",
                            id));
}

// Whether what is asked for was charged at all: the other thing may have been.
std::optional<Reply> RefuseAsset(const Refund& command, const std::vector<ChargeLeft>& charges) {
  if (charges.empty()) {
    return Refuse(Reason::kNoSuchEntry,
                  fmt::format("nothing was charged for {}; `pinka ledger --job` lists a job's "
                              "entries",
                              command.name));
  }
  if (std::ranges::any_of(charges, [&](const auto& c) { return Asks(command, *c.charge); }))
    return std::nullopt;
  const char* what = command.unit_ms > 0
                         ? "money; say how much comes back, as in 4.00"
                         : "hours of a package; say how many come back, as in 1h30m, or all";
  return Refuse(Reason::kBadRequest, fmt::format("{} was charged in {}", command.name, what));
}

std::optional<Reply> RefuseNamed(const State& state, const Refund& command) {
  if (command.entry) {
    const NamedEntry* entry = FindEntry(command.entries, command.entry);
    if (!entry) {
      return Refuse(Reason::kNoSuchEntry, fmt::format("no entry {}; `pinka ledger --json` has ids",
                                                      command.entry.value()));
    }
    if (auto refused = RefuseKind(command, *entry)) return refused;
  }
  for (const NamedEntry& entry : command.entries) {
    if (!StillOpen(state, entry)) continue;
    return Refuse(Reason::kConflict,
                  fmt::format("{} has not ended, so that what it is charged is not final; refund "
                              "it when it has",
                              ToString(entry.row.attempt)));
  }
  return std::nullopt;
}

std::optional<Reply> RefuseMore(const State& state, const Refund& command, Money left) {
  const Money wanted = Wanted(command);
  if (command.all ? left > Money() : wanted <= left) return std::nullopt;
  const auto text = [&](Money amount) {
    return command.unit_ms > 0 ? FormatUnitHours(amount) : FormatAmount(amount, state.lab.currency);
  };
  if (command.all) {
    return Refuse(Reason::kInsufficient,
                  fmt::format("nothing is left to give back of what {} was charged", command.name));
  }
  return Refuse(Reason::kInsufficient,
                fmt::format("needs {}, but of what {} was charged {} is left to give back",
                            text(wanted), command.name, text(left)));
}

// The last charge first.
HoursBack GiveBackAll(State& state, const Refund& command, const std::vector<ChargeLeft>& charges) {
  HoursBack back;
  Money rest = Wanted(command);
  for (auto it = charges.rbegin(); it != charges.rend(); ++it) {
    const Money part = command.all ? it->left : std::min(rest, it->left);
    if (part == Money()) continue;
    rest -= part;
    TransferRow verb = MoneyVerb(command.actor, command.request, TransferKind::kRefund,
                                 it->charge->row.payer, command.reason);
    if (IsHours(*it->charge))
      ReturnHours(state, command.entries, *it->charge, part, verb, &back);
    else
      GiveBack(state, *it->charge, part, LinkedTo(*it->charge, Direction::kBack, std::move(verb)));
  }
  return back;
}

std::string Told(const Refund& command) {
  if (command.all) return "all";
  return command.unit_ms > 0 ? FormatUnitHours(Wanted(command)) : FormatWireMoney(command.amount);
}

}  // namespace

Reply Do(State& state, const Refund& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "refunds are made by admins");
  if (auto refused = RefuseAmount(command)) return *refused;
  if (auto refused = RefuseUnfounded("a refund", command.request, command.reason)) return *refused;
  if (auto refused = RefuseNamed(state, command)) return *refused;
  std::vector<ChargeLeft> charges = ChargesLeft(state, command.entries);
  if (command.entry)
    std::erase_if(charges, [&](const auto& c) { return c.charge->row.id != command.entry; });
  if (auto refused = RefuseAsset(command, charges)) return *refused;
  std::erase_if(charges, [&](const auto& c) { return !Asks(command, *c.charge); });
  Money left;
  for (const ChargeLeft& c : charges) left += c.left;
  if (auto refused = RefuseMore(state, command, left)) return *refused;
  if (auto refused = RefuseTooMuch(state, command.all ? left : command.amount)) return *refused;

  const TransferId first(state.lab.next_transfer);
  const HoursBack back = GiveBackAll(state, command, charges);
  Log(state, "entry", command.name, "refund", Told(command), command.actor.member);
  PlanAll(state);
  Reply reply = AnswerEntries(state, command.actor, command.request, first);
  reply.note = Describe(state, back);
  return reply;
}

}  // namespace pinka
