// Money lies only in lots (semantics.md 7): which lots a start may draw on, in which order, and
// the one way to change what a lot holds.
#pragma once

#include <vector>

#include "scheduler/core/state.h"

namespace pinka {

// Who asked for what an entry says; nobody: pinka.
struct AskedBy {
  MemberId person;
  std::string request_id;
  std::string reason;
};

// Lots of money in reach of this member, project and tier at `now`, in burn order: narrower scope,
// then soonest end, then oldest.
std::vector<LotId> LotsInReach(const State& state, MemberId member, ProjectId project, TierId tier);

Money Available(const LotRow& lot);  // credited - posted - held + credit limit

// The only writers of a lot's amounts. Deltas may be negative.
void MoveLot(State& state, LotId lot, Money credited, Money posted, Money held);
// As MoveLot for `held`, and the database judges the floor of this lot when the batch is written.
void HoldOnLot(State& state, LotId lot, Money held);

// Finds or opens an account; `of` only for kinds lot and inventory: the lot or package.
AccountId AccountOf(State& state, AccountKind kind, Owner owner, AssetId asset = kCurrency,
                    int64_t of = 0);

// Opens an empty lot, of money that `payer` has paid in (none: from outside), or of unit-time.
LotId OpenLot(State& state, Owner owner, TierId tier, Timestamp starts_at, Timestamp ends_at,
              MemberId payer, AssetId asset = kCurrency);

// Appends one transfer, debit to credit, at `now` unless row.at is set; of money unless row.asset
// is. Amount > 0.
void AppendTransfer(State& state, TransferRow row);

// What is left of a lot whose end has come: an entry, and what open holds have not drawn stays.
void LapseLot(State& state, LotId lot, const AskedBy& by = {});
// Brings the end of a lot that nothing holds forward to now, and lapses it.
void EndLot(State& state, LotId lot, const AskedBy& by);
// The same where its end has come already: for lots that holds have just drawn on or released.
void LapseIfOver(State& state, LotId lot);

}  // namespace pinka
