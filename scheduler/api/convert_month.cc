#include "scheduler/api/convert_month.h"

#include "base/parse.h"
#include "scheduler/api/forms.h"
#include "scheduler/core/state.h"

namespace pinka::api {

StatusOr<Spread> ParseSpread(const std::string& text) {
  Spread spread = Spread::kUsage;
  if (text.empty() || FromName(text, &spread)) return spread;
  return Invalid("overhead is spread by usage, equal or contribution");
}

void FillPosition(const PositionRow& row, const Board& board, v1::Position* out) {
  out->set_member(MemberName(board, row.member));
  out->set_paid(FormatWireMoney(row.paid));
  out->set_settled(FormatWireMoney(row.settled));
  out->set_spent(FormatWireMoney(row.spent));
  out->set_overhead(FormatWireMoney(row.overhead));
  out->set_lapsed(FormatWireMoney(row.lapsed));
  out->set_carried(FormatWireMoney(row.carried));
  out->set_position(FormatWireMoney(row.position));
}

void FillPayment(const PaymentRow& row, const Board& board, v1::Payment* out) {
  out->set_id(row.id.value());
  out->set_month(MonthName(row.month));
  out->set_from(MemberName(board, row.from));
  out->set_to(MemberName(board, row.to));
  out->set_amount(FormatWireMoney(row.amount));
  out->set_state(std::string(Name(row.state)));
  SetTime(row.proposed_at, [&] { return out->mutable_proposed_at(); });
  SetTime(row.paid_at, [&] { return out->mutable_paid_at(); });
  out->set_ref(row.ref);
  out->set_entry(row.transfer.value());
}

void FillProposals(const std::vector<PositionRow>& rows, const Board& board,
                   v1::SettleMonthResponse* out) {
  for (const PositionRow& row : rows) FillPosition(row, board, out->add_positions());
  for (const Proposal& proposal : ProposePayments(rows)) {
    PaymentRow payment;
    payment.month = rows.front().month;
    payment.from = proposal.from;
    payment.to = proposal.to;
    payment.amount = proposal.amount;
    FillPayment(payment, board, out->add_payments());
  }
}

}  // namespace pinka::api
