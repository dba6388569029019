#include "client/cli/core/payments.h"

#include "client/cli/core/amount.h"
#include "client/cli/core/table.h"

namespace pinka::cli {

void PrintPayments(Session& session, const Lab& lab, const std::string& currency,
                   const Payments& payments, const std::string& if_none) {
  Table table({{"PAYMENT", 0},
               {"MONTH", 0},
               {"FROM", 8},
               {"TO", 8},
               {"AMOUNT", 0, true},
               {"STATE", 0},
               {"PAID", 10},
               {"REF", 8}},
              session.terminal(), [&](std::string_view text) { session.out().Write(text); });
  for (const v1::Payment& p : payments) {
    table.Row({p.id() == 0 ? "-" : std::to_string(p.id()), p.month(), p.from(), p.to(),
               Amount(p.amount(), currency), p.id() == 0 ? "" : p.state(),
               p.has_paid_at() ? lab.zone.Day(FromProto(p.paid_at())) : "", p.ref()});
  }
  table.Finish(if_none);
}

}  // namespace pinka::cli
