// withdraw: own money leaves the lab, to whom it came from: back to what a member had paid in, or
// outside.
#include <map>

#include "base/parse.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/money.h"

namespace pinka {
namespace {

// Who is to be handed how much.
std::string WhoGets(const State& state, const std::map<MemberId, Money>& parts) {
  std::string text;
  for (const auto& [payer, part] : parts) {
    text += (text.empty() ? "" : ", ") + FormatAmount(part, state.lab.currency) + " to " +
            (payer ? MemberName(state, payer) + ", who had paid it in" : "the outside");
  }
  return text;
}

}  // namespace

Reply Do(State& state, const Withdraw& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "withdrawals are made by admins");
  if (auto refused = RefuseOwner(state, command.from)) return *refused;
  if (command.amount <= Money()) return Refuse(Reason::kBadRequest, "a withdrawal is more than 0");
  const OwnMoney own = TakeOwn(state, command.from, command.amount);
  if (own.refused) return *own.refused;

  std::map<MemberId, Money> back;
  for (const auto& [id, part] : own.parts) {
    const LotRow lot = state.lots.Get(id);
    back[lot.payer] += part;
    TransferRow row = MoneyVerb(command.actor, command.request, TransferKind::kWithdraw,
                                command.from, command.reason);
    row.debit = lot.account;
    row.credit = Outside(state, lot.payer);
    row.amount = part;
    AppendTransfer(state, std::move(row));
    MoveLot(state, id, -part, Money(), Money());
    state.lots_guarded.insert(id);
  }
  Log(state, "account", OwnerName(state, command.from), "withdraw", FormatWireMoney(command.amount),
      command.actor.member);
  Reply reply;
  reply.count = static_cast<int64_t>(own.parts.size());
  reply.note = WhoGets(state, back);
  Remember(state, command.actor, command.request, true, 0, reply.count);
  return reply;
}

}  // namespace pinka
