// correct: a new entry that says what a posted one should have been more or less. The old one stays
// as it is. What this takes from a lot it takes even below zero: that only blocks new holds
// (semantics.md 8).
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/entries.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/money.h"

namespace pinka {
namespace {

bool MayCorrect(TransferKind kind) {
  return kind == TransferKind::kCharge || kind == TransferKind::kOverhead ||
         kind == TransferKind::kDeposit || kind == TransferKind::kRefund;
}

std::optional<Reply> RefuseEntry(const State& state, const Correct& command) {
  const int64_t id = command.entry.value();
  const NamedEntry* entry = FindEntry(command.entries, command.entry);
  if (!entry) {
    return Refuse(Reason::kNoSuchEntry,
                  fmt::format("no entry {}; `pinka ledger --json` has ids", id));
  }
  if (entry->row.kind == TransferKind::kCorrect) {
    return Refuse(Reason::kBadRequest,
                  fmt::format("entry {} is a correction itself; correct entry {}, which it is of",
                              id, entry->row.linked.value()));
  }
  if (!MayCorrect(entry->row.kind)) {
    return Refuse(
        Reason::kBadRequest,
        fmt::format("entry {} is of kind {}; only charges, overhead, deposits and refunds "
                    "are corrected",
                    id, Name(entry->row.kind)));
  }
  if (IsHours(*entry) || IsCostOfHours(*entry)) {
    return Refuse(
        Reason::kBadRequest,
        fmt::format("entry {} is of a package, whose hours are not corrected: their cost is "
                    "shared with all of it; `pinka admin refund` gives hours back",
                    id));
  }
  if (StillOpen(state, *entry)) {
    return Refuse(Reason::kConflict,
                  fmt::format("{} has not ended, so that what it is charged is not final; correct "
                              "it when it has",
                              ToString(entry->row.attempt)));
  }
  return std::nullopt;
}

// Neither the entry nor, for a refund, the charge that it gives back turns below zero.
std::optional<Reply> RefuseBelowZero(const State& state, const Correct& command,
                                     const NamedEntry& entry) {
  const Money left = LeftOf(state, command.entries, entry);
  if (left + command.amount < Money()) {
    return Refuse(Reason::kInsufficient,
                  fmt::format("entry {} stands at {} after what was changed of it before; {} would "
                              "turn it below zero",
                              entry.row.id.value(), FormatAmount(left, state.lab.currency),
                              FormatAmount(command.amount, state.lab.currency)));
  }
  if (entry.row.kind != TransferKind::kRefund) return std::nullopt;
  const NamedEntry* charge = FindEntry(command.entries, entry.row.linked);
  const Money of_charge = charge ? LeftOf(state, command.entries, *charge) : Money();
  if (command.amount <= of_charge) return std::nullopt;
  return Refuse(
      Reason::kInsufficient,
      fmt::format("needs {}, but of charge {}, which entry {} refunds, {} is left to "
                  "give back",
                  FormatAmount(command.amount, state.lab.currency), entry.row.linked.value(),
                  entry.row.id.value(), FormatAmount(of_charge, state.lab.currency)));
}

// A lot that has ended neither gives nor takes. What is given back of a charge gets a new one.
std::optional<Reply> RefuseEndedLot(const State& state, const Correct& command,
                                    const NamedEntry& entry) {
  const bool gives_back = entry.row.kind == TransferKind::kCharge && command.amount < Money();
  if (entry.row.kind == TransferKind::kOverhead || gives_back || LiveLot(state, entry))
    return std::nullopt;
  return Refuse(Reason::kConflict,
                fmt::format("lot {} of entry {} has ended and can neither give nor take; use "
                            "`pinka admin deposit`, `withdraw` or `refund` instead",
                            entry.lot.value(), entry.row.id.value()));
}

// `more` is below 0 where the entry should have been less.
void Post(State& state, const Correct& command, const NamedEntry& entry, Money more) {
  TransferRow verb = MoneyVerb(command.actor, command.request, TransferKind::kCorrect,
                               entry.row.payer, command.reason);
  const Direction direction = more > Money() ? Direction::kAsItWas : Direction::kBack;
  TransferRow row = LinkedTo(entry, direction, std::move(verb));
  if (entry.row.kind == TransferKind::kCharge && more < Money())
    return GiveBack(state, entry, -more, std::move(row));
  const OpenKey of{row.member, row.project, row.tier};
  if (entry.row.kind == TransferKind::kCharge) {
    MoveLot(state, entry.lot, Money(), more, Money());
    CountSpend(state, of, more, 0, state.now);
  }
  if (entry.row.kind == TransferKind::kDeposit) MoveLot(state, entry.lot, more, Money(), Money());
  if (entry.row.kind == TransferKind::kRefund) {
    // Into the lot that had paid a refund lowers what is posted; a new lot it fills.
    const NamedEntry& charge = *FindEntry(command.entries, entry.row.linked);
    if (charge.lot == entry.lot)
      MoveLot(state, entry.lot, Money(), -more, Money());
    else
      MoveLot(state, entry.lot, more, Money(), Money());
    CountSpend(state, of, -more, 0, state.now);
    state.amended[charge.row.id] -= more;
  }
  state.amended[entry.row.id] += more;
  row.amount = more > Money() ? more : -more;
  AppendTransfer(state, std::move(row));
}

}  // namespace

Reply Do(State& state, const Correct& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "corrections are made by admins");
  if (command.amount == Money()) {
    return Refuse(Reason::kBadRequest,
                  "a correction is not 0; say by how much the entry should have been more or less");
  }
  if (auto refused = RefuseUnfounded("a correction", command.request, command.reason))
    return *refused;
  if (auto refused = RefuseEntry(state, command)) return *refused;
  if (auto refused = RefuseTooMuch(state, command.amount)) return *refused;
  const NamedEntry& entry = *FindEntry(command.entries, command.entry);
  if (auto refused = RefuseBelowZero(state, command, entry)) return *refused;
  if (auto refused = RefuseEndedLot(state, command, entry)) return *refused;

  const TransferId first(state.lab.next_transfer);
  Post(state, command, entry, command.amount);
  Log(state, "entry", std::to_string(entry.row.id.value()), "correct",
      FormatWireMoney(command.amount), command.actor.member);
  PlanAll(state);
  return AnswerEntries(state, command.actor, command.request, first);
}

}  // namespace pinka
