// Bills for tests, against rentals that are handed in with them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/core_world.h"

namespace pinka::test {

// A rental of the node over [from, to), closed and posted, of which attempts were charged `charged`
// and the rest of `billed` stood idle.
RentalRow Rental(const CoreWorld& w, const std::string& node, Timestamp from, Timestamp to,
                 Money billed, Money charged);

// A bill of "aliyun" by the admin; lines over [from, to).
ImportInvoice Invoice(const CoreWorld& w, const std::string& ref, const std::string& payer = "");
void AddLine(ImportInvoice& bill, InvoiceLineKind kind, const std::string& instance, Timestamp from,
             Timestamp to, Money amount);

ExplainLine Explain(const CoreWorld& w, const Reply& imported, int32_t n, AccountKind as,
                    Money amount, const std::string& key);

}  // namespace pinka::test
