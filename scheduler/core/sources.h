// How an hour is paid (design.md 8): which source covers a piece of work now, or ever. What a job
// asks for decides: one source by name, or `any`: the packages of its member, soonest end first,
// then on demand. Packages are held in unit-time, all else in money at the source's rate.
#pragma once

#include <optional>

#include "scheduler/core/limits.h"
#include "scheduler/core/state.h"
#include "scheduler/core/verbs.h"

namespace pinka {

// One attempt.
struct Need {
  MemberId member;
  ProjectId project;
  TierId tier;
  Wish wish = Wish::kAny;
  int32_t units = 1;
  Duration time_limit;
  std::optional<Money> ceiling =
      std::nullopt;        // what its job may still be charged; none: no ceiling
  Rate max_rate = Rate();  // per unit-hour; 0: no ceiling
};

struct Offer {
  Source source = Source::kOnDemand;
  AssetId asset = kCurrency;
  Rate rate;                         // frozen for the attempt; of a package for display
  Money hold;                        // in the asset
  Duration time_limit = Duration();  // the need's, or what its ceiling covers of it
};

struct Choice {
  std::optional<Offer> offer;
  Blocked blocked;  // where there is none
};

// What an attempt of a waiting job needs.
Need NeedOf(const State& state, const JobRow& job);

// The first source that covers the need now, under every limit.
Choice ChooseSource(const State& state, const Need& need);

// What submit refuses because no source could ever cover it, whoever releases what (semantics.md
// 7).
std::optional<Reply> NeverCovered(const State& state, const Need& need);

// By the source that would pay now; where none would, by the price of what is asked for.
Priced PriceOf(const State& state, const Need& need);

// What a longer limit of an open attempt asks beyond its hold: the reason why not, or nothing.
// `more` is what it and others of its job need in all, by asset.
std::optional<Reply> CannotGrow(const State& state, const AttemptRow& attempt, Duration limit,
                                AssetId asset, Money more);

}  // namespace pinka
