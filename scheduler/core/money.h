// What the money verbs share: guards, the form of their entries, and money that is free to go.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/core/state.h"
#include "scheduler/core/verbs.h"

namespace pinka {

std::optional<Reply> RefuseOwner(const State& state, const Owner& owner);
// Sums over all lots, and over all that was ever spent, stay within 64 bits.
std::optional<Reply> RefuseTooMuch(const State& state, Money more);
// `verb` ("a refund") needs a reason, and a request id without which a repeat would count twice.
std::optional<Reply> RefuseUnfounded(const std::string& verb, const RequestKey& request,
                                     const std::string& reason);

// Where money comes from and goes to beyond the lab: what a member has paid in; none: the outside.
AccountId Outside(State& state, MemberId member);

// An entry that a person asked for, of what `owner` has.
TransferRow MoneyVerb(const Actor& actor, const RequestKey& request, TransferKind kind, Owner owner,
                      std::string reason);

// Own money, not what is held and no credit, from the owner's lots: soonest end first, then oldest.
// A refusal with the amounts where it is less than `amount`.
struct OwnMoney {
  std::vector<std::pair<LotId, Money>> parts;
  std::optional<Reply> refused;
};
OwnMoney TakeOwn(const State& state, const Owner& owner, Money amount);

// The answer to a verb that posted the entries from `first` on, kept under its request id for ever.
Reply AnswerEntries(State& state, const Actor& actor, const RequestKey& request, TransferId first);

}  // namespace pinka
