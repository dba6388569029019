// payment done: what was proposed has been handed over. One entry, between the two members.
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/verbs.h"

namespace pinka {

Reply Do(State& state, const MarkPaid& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin)
    return Refuse(Reason::kNotPermitted, "payments are marked as paid by admins");
  const PaymentRow* known = state.payments.Find(command.payment);
  if (!known) {
    return Refuse(Reason::kNoSuchAccount,
                  fmt::format("no payment {}; `pinka admin payment ls --all` lists them",
                              command.payment.value()));
  }
  Reply reply;
  reply.first = command.payment.value();
  if (known->state == PaymentState::kPaid) {
    reply.note = fmt::format("payment {} was marked as paid already (ref {}); nothing was changed",
                             command.payment.value(), known->ref);
    return reply;
  }
  if (command.ref.find_first_not_of(' ') == std::string::npos) {
    return Refuse(Reason::kBadRequest,
                  "a payment needs a word on how it was made; say it with --ref");
  }

  const AccountId from = AccountOf(state, AccountKind::kPaidIn, OwnedBy(known->from));
  const AccountId to = AccountOf(state, AccountKind::kPaidIn, OwnedBy(known->to));
  PaymentRow& payment = state.payments.Edit(command.payment);
  payment.state = PaymentState::kPaid;
  payment.paid_at = state.now;
  payment.ref = command.ref;
  payment.transfer = TransferId(state.lab.next_transfer);
  TransferRow row;
  row.kind = TransferKind::kPayment;
  row.debit = from;
  row.credit = to;
  row.amount = payment.amount;
  row.reason = MonthName(payment.month) + ": " + payment.ref;
  row.person = command.actor.member;
  row.request_id = command.request.key;
  row.member = payment.from;
  row.payer = OwnedBy(payment.from);
  AppendTransfer(state, std::move(row));
  Log(state, "payment", std::to_string(payment.id.value()), "paid", FormatWireMoney(payment.amount),
      command.actor.member);
  reply.count = 1;
  Remember(state, command.actor, command.request, true, reply.first, 1);
  return reply;
}

}  // namespace pinka
