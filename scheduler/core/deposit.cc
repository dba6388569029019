// deposit: a new lot, from a member who paid it in or from outside.
#include "base/parse.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/money.h"

namespace pinka {

Reply Do(State& state, const Deposit& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "deposits are made by admins");
  if (auto refused = RefuseOwner(state, command.to)) return *refused;
  if (command.amount <= Money()) {
    return Refuse(Reason::kBadRequest,
                  "a deposit is more than 0; `pinka admin withdraw` takes money out");
  }
  if (auto refused = RefuseTooMuch(state, command.amount)) return *refused;
  if (command.until <= state.now)
    return Refuse(Reason::kBadRequest, "the end of the lot is in the past");
  if (command.from && !state.members.Find(command.from))
    return Refuse(Reason::kNoSuchMember, "no such payer");

  const LotId lot =
      OpenLot(state, command.to, command.tier, state.now, command.until, command.from);
  TransferRow row =
      MoneyVerb(command.actor, command.request, TransferKind::kDeposit, command.to, command.reason);
  row.debit = Outside(state, command.from);
  row.credit = state.lots.Get(lot).account;
  row.amount = command.amount;
  row.tier = command.tier;
  AppendTransfer(state, std::move(row));
  MoveLot(state, lot, command.amount, Money(), Money());
  Log(state, "lot", std::to_string(lot.value()), "deposit", FormatWireMoney(command.amount),
      command.actor.member);
  PlanAll(state);
  Reply reply;
  reply.first = lot.value();
  reply.count = 1;
  Remember(state, command.actor, command.request, true, reply.first, 1);
  return reply;
}

}  // namespace pinka
