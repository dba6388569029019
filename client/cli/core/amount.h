// Money of the wire, for people.
#pragma once

#include <string>
#include <vector>

#include "base/money.h"

namespace pinka::cli {

// "12.500000" as "¥12.50"; "" as "-"; what is no money comes back as it is.
std::string Amount(const std::string& wire, const std::string& currency);
// 0 for "" and for what is no money.
Money MoneyOf(const std::string& wire);
// A report's column in cents that sum to the rounded total: the cents that are left go to the
// largest remainders, ties to the first (semantics.md 10).
std::vector<Money> SpreadCents(const std::vector<Money>& amounts);
// The same, to sum to `total`, whole cents that differ from the exact sum by a cent or so: what
// lies between two balances that are each rounded by themselves.
std::vector<Money> SpreadCentsTo(const std::vector<Money>& amounts, Money total);
// Half away from zero.
Money RoundToCents(Money amount);

}  // namespace pinka::cli
