// Entries that a refund or a correction names, as they were read, and what is left of them. Entries
// never change, so what was read stays true; what later ones took from them stands in core.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/state.h"
#include "scheduler/core/verbs.h"

namespace pinka {

// How long a lot lives that takes what is given back into one that has ended.
inline constexpr Duration kRefundLotLives = Duration::Days(30);

const NamedEntry* FindEntry(const std::vector<NamedEntry>& entries, TransferId id);

// A charge, and what has been neither reversed, refunded nor corrected of it.
struct ChargeLeft {
  const NamedEntry* charge = nullptr;
  Money left;
};
// The charges among `entries`, by id. A reversal took from the newest charges of its lot first.
std::vector<ChargeLeft> ChargesLeft(const State& state, const std::vector<NamedEntry>& entries);
// Of any entry that may be corrected.
Money LeftOf(const State& state, const std::vector<NamedEntry>& entries, const NamedEntry& entry);

// Only what attempts have settled is changed: until then a charge may yet be taken back.
bool StillOpen(const State& state, const NamedEntry& entry);

// Of hours of a package, what they cost stands beside them: it is money whose source is a package.
bool IsHours(const NamedEntry& entry);
bool IsCostOfHours(const NamedEntry& entry);

// The lot behind an entry; null where it has ended, and what is given back needs a new one.
const LotRow* LiveLot(const State& state, const NamedEntry& entry);

// An entry linked to `entry`, in its dimensions, in its direction or the other.
enum class Direction : int8_t { kAsItWas, kBack };
TransferRow LinkedTo(const NamedEntry& entry, Direction direction, TransferRow verb);

// Posts `row`, which gives `amount` of a charge back: to its lot, or to a new one of the same owner
// and tier where that has ended. The member's spending and the counters of limits fall by it.
void GiveBack(State& state, const NamedEntry& charge, Money amount, TransferRow row);

}  // namespace pinka
