// Money lies only in lots (semantics.md 7): which lots a start may draw on, in which order, and
// the one way to change what a lot holds.
#pragma once

#include <vector>

#include "scheduler/core/state.h"

namespace pinka {

// Lots in reach of this member, project and tier at `now`, in burn order: narrower scope, then
// soonest end, then oldest.
std::vector<LotId> LotsInReach(const State& state, MemberId member, ProjectId project, TierId tier);

Money Available(const LotRow& lot);  // credited - posted - held + credit limit

// The only writers of a lot's amounts. Deltas may be negative.
void MoveLot(State& state, LotId lot, Money credited, Money posted, Money held);
// As MoveLot for `held`, and the database judges the floor of this lot when the batch is written.
void HoldOnLot(State& state, LotId lot, Money held);

// Finds or opens an account; `lot` only for kind lot.
AccountId AccountOf(State& state, AccountKind kind, Owner owner, LotId lot = {});

// Opens a lot without money.
LotId OpenLot(State& state, Owner owner, TierId tier, Timestamp starts_at, Timestamp ends_at);

// Appends one transfer, debit to credit, at `now` unless row.at is set. Amount > 0.
void AppendTransfer(State& state, TransferRow row);

// What is left of a lot whose end has come: an entry, and what open holds have not drawn stays.
void LapseLot(State& state, LotId lot);
// The same where its end has come already: for lots that holds have just drawn on or released.
void LapseIfOver(State& state, LotId lot);

}  // namespace pinka
