// transfer: own money of one owner becomes another's, and stays as it was: its end and its tier.
#include <algorithm>

#include "base/parse.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/money.h"

namespace pinka {

Reply Do(State& state, const Transfer& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin)
    return Refuse(Reason::kNotPermitted, "money is moved between accounts by admins");
  if (auto refused = RefuseOwner(state, command.from)) return *refused;
  if (auto refused = RefuseOwner(state, command.to)) return *refused;
  if (command.from == command.to) {
    return Refuse(Reason::kBadRequest,
                  "both accounts are the same; name another one to move money to");
  }
  if (command.amount <= Money()) return Refuse(Reason::kBadRequest, "a transfer is more than 0");
  if (auto refused = RefuseUnfounded("a transfer", command.request, command.reason))
    return *refused;
  const OwnMoney own = TakeOwn(state, command.from, command.amount);
  if (own.refused) return *own.refused;

  const TransferId first(state.lab.next_transfer);
  for (const auto& [id, part] : own.parts) {
    const LotRow from = state.lots.Get(id);
    const LotId to = OpenLot(state, command.to, from.tier, std::max(state.now, from.starts_at),
                             from.ends_at, from.payer);
    TransferRow row = MoneyVerb(command.actor, command.request, TransferKind::kTransfer,
                                command.from, command.reason);
    row.debit = from.account;
    row.credit = state.lots.Get(to).account;
    row.amount = part;
    row.tier = from.tier;
    AppendTransfer(state, std::move(row));
    MoveLot(state, id, -part, Money(), Money());
    state.lots_guarded.insert(id);
    MoveLot(state, to, part, Money(), Money());
  }
  Log(state, "account", OwnerName(state, command.from), "transfer",
      FormatWireMoney(command.amount) + " to " + OwnerName(state, command.to),
      command.actor.member);
  PlanAll(state);
  return AnswerEntries(state, command.actor, command.request, first);
}

}  // namespace pinka
