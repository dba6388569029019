// Packages: unit-hours bought together (semantics.md 8 and 9). A portion is a lot of the package's
// unit-time, so that holds, charges and lapses go as with money; what the hours cost lies in the
// package's inventory and follows them:
//
//   bought   paid_in | external -> inventory            external -> lots of unit-time
//   charged  inventory -> spent, so that all that moved is price x used / total, rounded once
//   over     inventory -> lapsed | overhead_lapsed: what is left, by the hours that lapsed
//
// Only who has a portion may draw on a package: on the own portion first, then, as its borrow rule
// allows, on what nobody was given, then on other portions, the fullest first, ties by lot.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduler/core/lots.h"
#include "scheduler/core/state.h"

namespace pinka {

// What a hour of it costs, for display.
Rate RateOf(const PackageRow& package);

// Of unit-time, the rate at which cost is unit-time itself: 3'600'000 unit-milliseconds an hour.
Rate HoldRate(const AttemptRow& attempt);

// Packages of the tier that have begun, that the member has a part in, and that end no sooner than
// `limit` from now: soonest end first, then the oldest.
std::vector<PackageId> PackagesInReach(const State& state, MemberId member, TierId tier,
                                       Duration limit);

// What a hold of `amount` would draw, in order; less in all where that is not covered.
std::vector<std::pair<LotId, Money>> PackageParts(const State& state, PackageId package,
                                                  MemberId member, Money amount);
// All that the member could draw now.
Money InPackage(const State& state, PackageId package, MemberId member);
// The most that one hold could ever draw, if all open ones were released; 0 where the package will
// not last for `limit`, or is not the member's.
Money EverInPackage(const State& state, PackageId package, MemberId member, Duration limit);

// Keeps the member's count of what lies on other portions; nothing for money and own lots.
void CountBorrowed(State& state, MemberId member, LotId lot, Money charged, Money held);

// Unit-time was charged (or, below 0, given back) to the attempt's member: its cost follows.
void MoveCost(State& state, const AttemptRow& attempt, PackageId package, Money used, Timestamp at);

// `hours` were given back to their portion, as `row` says: their cost returns to the inventory, by
// what of it is above price x used / total now. How much that is.
Money ReturnCost(State& state, PackageId package, Money hours, TransferRow row);

// A portion's lot has lapsed by `rest`; nothing for money.
void PortionLapsed(State& state, const LotRow& lot, Money rest);

// Where every lot has lapsed and no hold is open: the rest of the inventory lapses by the hours
// that did, and the package leaves.
void CloseIfOver(State& state, PackageId package, const AskedBy& by = {});

std::string FormatUnitHours(Money unit_ms);  // "1.50 unit-hours"

}  // namespace pinka
