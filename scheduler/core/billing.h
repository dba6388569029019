// What a provider bills for the up-time of a machine (semantics.md 9), by its rule:
//
//   billable = max(minimum, ceil(span / block) x block)     of each stretch
//   amount   = billable x units x rate, rounded as the provider does, for each stretch or once
//
// A rule with a cut ends a stretch at each multiple of it in the provider's zone; the next begins
// there with its own minimum and blocks. A stretch without any time bills nothing. 12.00 an hour,
// minimum and block 60 min: 5 min bill 12.00, 60 bill 12.00, 61 bill 24.00.
//
// Spans and instants in microseconds, products through 128 bits; amounts end at 10^12. Pure.
#pragma once

#include <cstdint>

#include "base/money.h"
#include "base/time.h"
#include "scheduler/core/rows.h"

namespace pinka {

// Whether the last stretch is over. While it goes on, it counts by its time alone, unless a cut has
// just ended it: what its minimum, blocks and rounding add is known at its end.
enum class Stretch : int8_t { kOver, kOpen };

// The bill of [opened_at, upto) for `units` units.
Money BillOf(const BillingRule& rule, int64_t units, Timestamp opened_at, Timestamp upto,
             Stretch last);

// By time alone: time x rate, rounded once; as Cost, with an end.
Money TimeCost(Rate rate, UnitTime time);

// The end of what is paid for at `now` if the machine has been on since opened_at: the next block
// or the end of the minimum, at most the next cut. Not before `now`.
Timestamp PaidUntil(const BillingRule& rule, Timestamp opened_at, Timestamp now);

// What leaves a machine, by bytes; a GB is 10^9 of them.
Money EgressCost(Money per_gb, int64_t bytes);

// The end of what a minimum or block binds beyond `now`; `now` where the rule bills by the second
// and its minimum is over.
Timestamp BoundUntil(const BillingRule& rule, Timestamp opened_at, Timestamp now);

// The least that one stretch of `units` units bills: its minimum, or one block.
Money LeastBill(const BillingRule& rule, int64_t units);

}  // namespace pinka
