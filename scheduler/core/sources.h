// How an hour is paid (design.md 8): which sources cover a piece of work now, or ever. What a job
// asks for decides: one source by name, or `any`, all but trial, cheapest to the lab first: owned
// machines, the packages of its member, soonest end first, spot, on demand. A source counts where
// nodes of the tier are paid so; a package runs on nodes bought with it, or on demand's where the
// tier has none. A tier that nobody has joined yet counts as on demand. `any` takes spot as well
// where a tier has it, unless the job may not run again (--no-requeue): a reclaim would end it. Who
// names spot takes it as it is. With a deadline, spot is taken by the rule of deadline.h. Packages
// are held in unit-time, all else in money at the source's rate.
#pragma once

#include <array>
#include <optional>
#include <vector>

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
  bool again = true;       // it may run again; else `any` is not spot, which may be taken back
};

struct Offer {
  Source source = Source::kOnDemand;
  AssetId asset = kCurrency;
  Rate rate;                           // frozen for the attempt; of a package for display
  Money hold;                          // in the asset
  Duration time_limit = Duration();    // the need's, or what its ceiling covers of it
  Timestamp not_before = Timestamp();  // it pays from then on (deadline.h); none: now
};

struct Choice {
  std::vector<Offer> offers;  // cheapest to the lab first
  Blocked blocked;            // where there are none
};

// How the nodes of a tier are paid for.
class NodesOf {
 public:
  NodesOf(const State& state, TierId tier);
  // Whether some node of the tier takes work that is paid so.
  bool Has(Source source) const;
  // Whether this node of the tier does.
  bool MayRun(const NodeRow& node, Source source) const;

 private:
  bool Any(Source source) const { return by_source_[static_cast<size_t>(source)]; }
  std::array<bool, 5> by_source_ = {};
  bool none_ = true;
};

// What an attempt of a waiting job needs.
Need NeedOf(const State& state, const JobRow& job);

// The sources that cover the need now, under every limit.
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
