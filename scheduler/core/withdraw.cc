// withdraw: own money goes outside.
#include "base/parse.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/money.h"

namespace pinka {

Reply Do(State& state, const Withdraw& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "withdrawals are made by admins");
  if (auto refused = RefuseOwner(state, command.from)) return *refused;
  if (command.amount <= Money()) return Refuse(Reason::kBadRequest, "a withdrawal is more than 0");
  const OwnMoney own = TakeOwn(state, command.from, command.amount);
  if (own.refused) return *own.refused;

  for (const auto& [id, part] : own.parts) {
    TransferRow row = MoneyVerb(command.actor, command.request, TransferKind::kWithdraw,
                                command.from, command.reason);
    row.debit = state.lots.Get(id).account;
    row.credit = AccountOf(state, AccountKind::kExternal, OwnedByLab());
    row.amount = part;
    AppendTransfer(state, std::move(row));
    MoveLot(state, id, -part, Money(), Money());
    state.lots_guarded.insert(id);
  }
  Log(state, "account", OwnerName(state, command.from), "withdraw", FormatWireMoney(command.amount),
      command.actor.member);
  Reply reply;
  reply.count = static_cast<int64_t>(own.parts.size());
  Remember(state, command.actor, command.request, true, 0, reply.count);
  return reply;
}

}  // namespace pinka
