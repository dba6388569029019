// Rentals (semantics.md 9): a node's paid up-time, from the moment it serves until it is removed,
// lost or stopped, under its provider's rule as it was at the opening. One at most is open a node;
// nodes whose tier and source have no rule have none, and there what members pay is all there is.
//
// Members pay for the time they use. The rest of the bill is the lab's, in entries of kind rental,
// posted cumulatively at each month's end and at the close:
//
//   idle      time cost at the rule's rate - attempts' time at that rate
//   rounding  billed - time cost: minimums, blocks, rounding
//   disk      rented disk, used or not
//   variance  attempts' time at the rule's rate - what they are charged for it
//
//   egress    what left the machine, as told at its close
//
// so that billed = members + lab-paid attempts + idle + rounding + variance. A machine that is
// stopped and kept is another rental of it: its rule's stopped rate and its disk go on, all of it
// idle, until it serves again or is gone. Worked: 12.00 an hour in whole hours, jobs of 20 and 25
// min: 4.00 + 5.00, idle 3.00 at the hour's end. What attempts post carries the rental that was
// open when they were ordered; hours of packages do not enter, and time that costs nobody anything
// is idle.
#pragma once

#include <string>
#include <vector>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

// How long a closed rental stays in memory: what ends later than that on it is not counted there.
inline constexpr Duration kKeepRental = Duration::Days(75);

// The rule in force at `at`; null where there is none.
const BillingRow* BillingAt(const State& state, TierId tier, Source source, Timestamp at);

// What happens of itself: nothing where the node has a rental or no rule, or none is open.
void OpenRentalOf(State& state, NodeId node);
void CloseRentalOf(State& state, NodeId node);

// Opens one; the node has none that is open. `at` is not after now.
RentalId StartRental(State& state, const NodeRow& node, const BillingRow& billing, Timestamp at);
// Closes an open one at `at` and posts the rest of it, dated now.
void EndRental(State& state, RentalId id, Timestamp at);
// Goes on with a closed one as the rental of its stopped machine, from its end on.
RentalId KeepStopped(State& state, RentalId closed);
// Sets what left the machine of a closed one, and posts it.
void AddEgress(State& state, RentalId id, int64_t bytes);

// The rule as it bills this rental: of a stopped machine by its stopped rate, without a minimum.
BillingRule RuleOf(const RentalRow& row);

// Of an entry that an attempt posts in money: names its rental and counts it there.
void CountOnRental(State& state, const AttemptRow& attempt, TransferRow& row);
// An attempt on it has been settled or metered: posts what only waited for that.
void PostAfter(State& state, const AttemptRow& attempt);

// Posts the month before `boundary` of each open rental; where work on it has not been metered past
// that yet it waits, unless `all`.
void PostMonth(State& state, Timestamp boundary, bool all);
// Forgets what closed long ago.
void ForgetRentals(State& state);

// What is paid for already on this node beyond now; zero where it has no open rental.
Duration PaidLeft(const State& state, NodeId node);

// The rules of a tier in a lab file: the lines of the difference, made where `make`. The first rule
// of a source opens rentals of its nodes that serve.
std::vector<std::string> ApplyBilling(State& state, TierId tier, const LabChange::Tier& wanted,
                                      bool make);
// What is wrong with a rule, or "".
std::string BadRule(const BillingRule& rule);

// At load.
void IndexRental(State& state, const RentalRow& row);

}  // namespace pinka
