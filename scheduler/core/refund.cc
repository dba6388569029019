// refund: gives back what was charged, or a part of it (semantics.md 8). Several stand side by
// side, together at most the charge.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/entries.h"
#include "scheduler/core/money.h"

namespace pinka {
namespace {

std::optional<Reply> RefuseNamed(const State& state, const Refund& command) {
  if (command.entry) {
    const NamedEntry* entry = FindEntry(command.entries, command.entry);
    if (!entry) {
      return Refuse(Reason::kNoSuchEntry, fmt::format("no entry {}; `pinka ledger --json` has ids",
                                                      command.entry.value()));
    }
    if (entry->row.kind != TransferKind::kCharge) {
      return Refuse(Reason::kBadRequest,
                    fmt::format("entry {} is of kind {}, and only charges are refunded; `pinka "
                                "admin correct` changes other entries",
                                command.entry.value(), Name(entry->row.kind)));
    }
  } else if (ChargesLeft(state, command.entries).empty()) {
    return Refuse(Reason::kNoSuchEntry,
                  fmt::format("nothing was charged for {}; `pinka ledger --job` lists a job's "
                              "entries",
                              command.name));
  }
  if (auto refused = RefusePackage(command.entries)) return refused;
  for (const NamedEntry& entry : command.entries) {
    if (!StillOpen(state, entry)) continue;
    return Refuse(Reason::kConflict,
                  fmt::format("{} has not ended, so that what it is charged is not final; refund "
                              "it when it has",
                              ToString(entry.row.attempt)));
  }
  return std::nullopt;
}

}  // namespace

Reply Do(State& state, const Refund& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "refunds are made by admins");
  if (command.amount <= Money()) return Refuse(Reason::kBadRequest, "a refund is more than 0");
  if (auto refused = RefuseUnfounded("a refund", command.request, command.reason)) return *refused;
  if (auto refused = RefuseNamed(state, command)) return *refused;
  std::vector<ChargeLeft> charges = ChargesLeft(state, command.entries);
  if (command.entry)
    std::erase_if(charges, [&](const auto& c) { return c.charge->row.id != command.entry; });
  Money left;
  for (const ChargeLeft& c : charges) left += c.left;
  if (command.amount > left) {
    return Refuse(Reason::kInsufficient,
                  fmt::format("needs {}, but of what {} was charged {} is left to give back",
                              FormatAmount(command.amount, state.lab.currency), command.name,
                              FormatAmount(left, state.lab.currency)));
  }
  if (auto refused = RefuseTooMuch(state, command.amount)) return *refused;

  const TransferId first(state.lab.next_transfer);
  Money rest = command.amount;
  for (auto it = charges.rbegin(); it != charges.rend() && rest > Money(); ++it) {
    const Money part = std::min(rest, it->left);
    if (part == Money()) continue;
    TransferRow verb = MoneyVerb(command.actor, command.request, TransferKind::kRefund,
                                 it->charge->row.payer, command.reason);
    GiveBack(state, *it->charge, part, LinkedTo(*it->charge, Direction::kBack, std::move(verb)));
    rest -= part;
  }
  Log(state, "entry", command.name, "refund", FormatWireMoney(command.amount),
      command.actor.member);
  PlanAll(state);
  return AnswerEntries(state, command.actor, command.request, first);
}

}  // namespace pinka
