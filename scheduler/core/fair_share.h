// Fair share and priority in integers (semantics.md 2).
//
// Use. An interval of weight w (units x tier weight x class factor) that ran from s to e counts
//   U(T) = w * (h / ln 2) * (0.5^((T-e)/h) - 0.5^((T-s)/h))
// Every member's use in every project is kept referenced to R = lab.usage_hour + 1 h, so that ended
// intervals are one integer sum: C = sum of w * (decay(R-e) - decay(R-s)), w in Q16, decay in Q62.
// All members share the factor between R and T and h / ln 2; only ratios and reports need more. At
// each whole hour the sums are multiplied once by decay(1 h), and what still runs is folded in up
// to there; a sum below kUseFloor is 0 from then on (semantics.md 2: use older than 20 half-lives
// is dropped). Who stands where by that use is fair_tree.h's.
//
// Order. (has a share, priority, submit time, id). Priority = fair + age + class + size - nice.
// It is compared exactly, in points x 604'800'000'000 (a week in microseconds), so that two jobs
// below the age cap never change order with time; what is printed is rounded to points.
#pragma once

#include <cstdint>

#include "scheduler/core/state.h"

namespace pinka {

// A pass over who waits happens at least this often, and a start counts this much use at once.
inline constexpr Duration kSchedulingPeriod = Duration::Seconds(60);
inline constexpr Duration kAgeCap = Duration::Days(7);
// A minute of a unit of weight 1, 20 half-lives of 7 days ago.
inline constexpr Int128 kUseFloor = Int128{1} << 44;
inline constexpr int64_t kPoint = kAgeCap.micros();  // one priority point in exact priority

// The reference of all sums: the end of the hour being filled.
Timestamp UsageReference(const State& state);

// w of an attempt: Q16 weight of a unit times units.
Int128 AttemptWeight(const AttemptRow& attempt);
// Q16: the tier's price relative to the cheapest GPU tier, times the class factor.
int64_t UnitWeight(const State& state, TierId tier, JobClass klass, Rate rate);

// Keeps the sums as attempts open and end.
void UseOpened(State& state, const AttemptRow& attempt);
void UseEnded(State& state,
              const AttemptRow& attempt);  // state.attempts still has it; ended_at set
// Rolls everybody's use over the hour boundary UsageReference, which is not after now.
void RollUsageHour(State& state);

// After lab.half_life_h changed: what runs is counted anew from the start of the hour.
void HalfLifeChanged(State& state);

// Use referenced to UsageReference, running work counted up to now, at least 60 s each: in one
// project (or in none), and in all.
Int128 Use(const State& state, const ShareKey& key);
Int128 Use(const State& state, MemberId member);
// A use in weighted unit-milliseconds at `now`: for people.
int64_t UnitMillisOf(const State& state, Int128 use);
int64_t UseUnitMillis(const State& state, MemberId member);

// What the start of an attempt of this weight adds to Use at once.
Int128 UseOfAStart(const State& state, Int128 weight);

struct Priority {
  int64_t fair = 0, age = 0, klass = 0, size = 0, nice = 0;  // points; nice is subtracted
  int64_t total = 0;                                         // their sum
  Int128 exact = 0;
};
Priority PriorityOf(const State& state, const JobRow& job, uint64_t fair_q62);
// Its `exact` alone: what orders.
Int128 ExactPriority(const State& state, const JobRow& job, uint64_t fair_q62);

// Queue order: the exact priority without fair share and, for the young, without the common `now`.
Int128 YoungKey(const State& state, const JobRow& job);
Int128 CappedKey(const State& state, const JobRow& job);

}  // namespace pinka
