// Hold, post, settle, void (semantics.md 8). A hold is taken when an attempt is ordered and closed
// exactly once, by whom made it: the attempt.
#pragma once

#include <optional>

#include "scheduler/core/limits.h"
#include "scheduler/core/state.h"

namespace pinka {

// Why lots in reach do not cover `amount` now, or nothing where they do.
std::optional<Blocked> NotCovered(const State& state, MemberId member, ProjectId project,
                                  TierId tier, Money amount);
// Sum of what lots in reach could ever give: credited - posted + credit. Holds do not count.
Money EverInReach(const State& state, MemberId member, ProjectId project, TierId tier);

// Who pays attempts that end so: as the lab says, else as the table of end_reason.h does.
Payer PayerFor(const State& state, EndReason reason);
// The run time of an ended attempt that its member pays by that rule: within the limit, and up to
// the last checkpoint where the lab bears what came after it.
int64_t OwnMillis(const AttemptRow& attempt, Payer payer);

// The longest run time of `units` that costs no more than `money`; never above `limit`.
Duration CoveredTime(Money money, Rate rate, int32_t units, Duration limit);
// What a job's ceiling leaves: neither charged nor held; nothing where it has none.
std::optional<Money> LeftOf(const State& state, const JobRow& job);

// The dimensions of what an attempt posts.
TransferRow EntryOf(const AttemptRow& attempt);

// Takes the hold of an attempt that was just ordered, in the asset of its source: lines in burn
// order. NotCovered, or the package, said that it is covered.
void TakeHold(State& state, const AttemptRow& attempt, AssetId asset, Money amount);

// Raises an open hold (edit --time); NotCovered said no for the difference.
void EnlargeHold(State& state, const AttemptRow& attempt, Money amount);
// Lowers an open hold to `amount`, which covers what is posted: last line first.
void CutHold(State& state, const AttemptRow& attempt, Money amount);

// Posts the cumulative charge up to `metered_ms` of an open attempt, dated `at` (accruals).
void PostUpTo(State& state, const AttemptRow& attempt, int64_t metered_ms, Timestamp at);

// Closes the attempt's money by its end reason: settled, or voided where nothing is charged and
// nothing ever ran. What accruals charged beyond that is reversed, in the open month.
// attempt.end_reason, metered_ms, overrun_ms and checkpoint_ms are final.
void Settle(State& state, const AttemptRow& attempt);

}  // namespace pinka
