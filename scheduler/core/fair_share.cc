#include "scheduler/core/fair_share.h"

#include <algorithm>

#include "scheduler/core/decay.h"

namespace pinka {
namespace {

constexpr int64_t kInverseLn2 = 6653256548922161246;  // Q62

Int128 At(const State& state, Int128 weight, Timestamp when) {
  return weight * Decay(UsageReference(state) - when, state.lab.half_life_h);
}

// The lab's weights of the parts that the policy has.
struct Weights {
  int32_t fair = 0, age = 0, klass = 0, size = 0;
};
Weights WeightsOf(const State& state) {
  const LabRow& lab = state.lab;
  const Policy& policy = state.policy;
  return {policy.fair_share ? lab.weight_fair : 0, policy.age ? lab.weight_age : 0,
          policy.job_class ? lab.weight_class : 0, policy.size ? lab.weight_size : 0};
}

// The part of the tier that the job asks for.
Int128 SizePart(const State& state, const JobRow& job) {
  const auto known = state.tier_units.find(job.tier);
  const int64_t tier_units = known == state.tier_units.end() ? 1 : std::max(known->second, 1);
  const int64_t units = std::min<int64_t>(job.units, tier_units);
  return static_cast<Int128>(WeightsOf(state).size) * kPoint * units / tier_units;
}

// Fixed part of the exact priority: class + size - nice.
Int128 FixedPart(const State& state, const JobRow& job) {
  const Int128 klass =
      static_cast<Int128>(WeightsOf(state).klass) * kPoint * static_cast<int>(job.klass) / 2;
  return klass + SizePart(state, job) - static_cast<Int128>(job.nice) * kPoint;
}

Int128 FairPart(const State& state, uint64_t fair_q62) {
  return MulQ62(static_cast<Int128>(WeightsOf(state).fair) * kPoint, fair_q62);
}

Int128 AgePart(const State& state, const JobRow& job) {
  const int64_t waited = std::clamp<int64_t>((state.now - job.eligible_at).micros(), 0, kPoint);
  return static_cast<Int128>(WeightsOf(state).age) * waited;
}

UsageRow& UsageOf(State& state, const ShareKey& key) {
  if (!state.usage.Find(key)) state.usage.Put(key, {key.member, 0, key.project});
  return state.usage.Edit(key);
}

}  // namespace

Timestamp UsageReference(const State& state) { return state.lab.usage_hour + Duration::Hours(1); }

Int128 AttemptWeight(const AttemptRow& attempt) {
  return static_cast<Int128>(attempt.weight) * attempt.units;
}

int64_t UnitWeight(const State& state, TierId tier, JobClass klass, Rate rate) {
  // The reference is the cheapest tier with GPUs; without one, this tier itself.
  int64_t reference = 0;
  for (const auto& [id, row] : state.tiers.rows()) {
    if (row.unit_gpus == 0 || row.absent) continue;
    const auto price = RateAt(state, id, Source::kOnDemand, state.now);
    if (!price || price->micros_per_unit_hour() <= 0) continue;
    if (reference == 0 || price->micros_per_unit_hour() < reference) {
      reference = price->micros_per_unit_hour();
    }
  }
  const auto own = RateAt(state, tier, Source::kOnDemand, state.now);
  const int64_t price = own ? own->micros_per_unit_hour() : rate.micros_per_unit_hour();
  if (reference == 0) reference = std::max<int64_t>(price, 1);
  const int64_t weight = MulDivRound(price, 1 << 16, reference);
  const int64_t factor = klass == JobClass::kScavenger ? 1 : 2;  // scavenger work counts half
  return weight * factor / 2;
}

void UseOpened(State& state, const AttemptRow& attempt) {
  OpenUse& use = state.open_use[ShareKeyOf(attempt)];
  const Int128 w = AttemptWeight(attempt);
  use.weight += w;
  use.weight_at_start += At(state, w, std::max(attempt.ordered_at, state.lab.usage_hour));
  if (w != 0) use.by_start[attempt.ordered_at] += w;
}

void UseEnded(State& state, const AttemptRow& attempt) {
  OpenUse& use = state.open_use[ShareKeyOf(attempt)];
  const Int128 w = AttemptWeight(attempt);
  const Int128 at_start = At(state, w, std::max(attempt.ordered_at, state.lab.usage_hour));
  use.weight -= w;
  use.weight_at_start -= at_start;
  const auto started = use.by_start.find(attempt.ordered_at);
  if (w != 0 && (started->second -= w) == 0) use.by_start.erase(started);
  UsageOf(state, ShareKeyOf(attempt)).amount += At(state, w, attempt.ended_at) - at_start;
}

void RollUsageHour(State& state) {
  const Timestamp boundary = UsageReference(state);
  const uint64_t hour = Decay(Duration::Hours(1), state.lab.half_life_h);
  // What still runs is folded in up to the boundary, where decay(R - R) is one.
  for (auto& [key, use] : state.open_use) {
    if (use.weight == 0) continue;
    UsageOf(state, key).amount += At(state, use.weight, boundary) - use.weight_at_start;
  }
  std::vector<ShareKey> used;
  for (const auto& [key, row] : state.usage.rows()) {
    if (row.amount != 0) used.push_back(key);
  }
  for (const ShareKey& key : used) {
    Int128& amount = state.usage.Edit(key).amount;
    amount = MulQ62(amount, hour);
    if (amount < kUseFloor) amount = 0;
  }
  state.lab.usage_hour = boundary;
  state.lab_touched = true;
  for (auto& [key, use] : state.open_use) use.weight_at_start = At(state, use.weight, boundary);
}

void HalfLifeChanged(State& state) {
  for (auto& [key, use] : state.open_use) {
    use.weight_at_start = 0;
    for (const auto& [ordered_at, w] : use.by_start) {
      use.weight_at_start += At(state, w, std::max(ordered_at, state.lab.usage_hour));
    }
  }
}

Int128 Use(const State& state, const ShareKey& key) {
  const UsageRow* row = state.usage.Find(key);
  Int128 total = row ? row->amount : 0;
  auto it = state.open_use.find(key);
  if (it == state.open_use.end()) return total;
  const OpenUse& open = it->second;
  total += At(state, open.weight, state.now) - open.weight_at_start;
  // A start counts one scheduling period at once.
  for (auto young = open.by_start.rbegin(); young != open.by_start.rend(); ++young) {
    const Timestamp full = young->first + kSchedulingPeriod;
    if (full <= state.now) break;
    const Int128 w = young->second;
    const uint64_t now = Decay(UsageReference(state) - state.now, state.lab.half_life_h);
    // Past the reference the decay is one; the period's worth is what it would be a minute earlier.
    const uint64_t before =
        Decay(UsageReference(state) - state.now + (full - state.now), state.lab.half_life_h);
    total += w * static_cast<Int128>(now - before);
  }
  return total;
}

Int128 Use(const State& state, MemberId member) {
  Int128 total = 0;
  const auto& ended = state.usage.rows();
  for (auto it = ended.lower_bound({member, {}}); it != ended.end() && it->first.member == member;
       ++it) {
    total += Use(state, it->first);
  }
  // Projects in which something runs and nothing has ended yet.
  const auto& open = state.open_use;
  for (auto it = open.lower_bound({member, {}}); it != open.end() && it->first.member == member;
       ++it) {
    if (!ended.contains(it->first)) total += Use(state, it->first);
  }
  return total;
}

int64_t UseUnitMillis(const State& state, MemberId member) {
  return UnitMillisOf(state, Use(state, member));
}

int64_t UnitMillisOf(const State& state, Int128 use) {
  // C * (h / ln 2) * 2^((R - T) / h), out of Q16 x Q62.
  const Int128 at_now = use >> 16;
  const uint64_t back = Decay(UsageReference(state) - state.now, state.lab.half_life_h);
  const Int128 q62 = back == 0 ? 0 : ((at_now << 36) / static_cast<Int128>(back >> 26));
  const Int128 weighted = MulQ62(q62, static_cast<uint64_t>(kInverseLn2 / 2)) * 2;
  return static_cast<int64_t>((weighted >> 31) * Duration::Hours(state.lab.half_life_h).millis() >>
                              31);
}

Int128 UseOfAStart(const State& state, Int128 weight) {
  const uint64_t now = Decay(UsageReference(state) - state.now, state.lab.half_life_h);
  const uint64_t before =
      Decay(UsageReference(state) - state.now + kSchedulingPeriod, state.lab.half_life_h);
  return weight * static_cast<Int128>(now - before);
}

Int128 ExactPriority(const State& state, const JobRow& job, uint64_t fair_q62) {
  return FairPart(state, fair_q62) + AgePart(state, job) + FixedPart(state, job);
}

Priority PriorityOf(const State& state, const JobRow& job, uint64_t fair_q62) {
  const Weights weights = WeightsOf(state);
  const Int128 fair = FairPart(state, fair_q62);
  const Int128 age = AgePart(state, job);
  Priority p;
  p.exact = fair + age + FixedPart(state, job);
  p.fair = static_cast<int64_t>(fair / kPoint);
  p.age = static_cast<int64_t>(age / kPoint);
  p.klass = weights.klass * static_cast<int>(job.klass) / 2;
  p.nice = job.nice;
  p.size = static_cast<int64_t>(SizePart(state, job) / kPoint);
  p.total = p.fair + p.age + p.klass + p.size - p.nice;
  return p;
}

Int128 YoungKey(const State& state, const JobRow& job) {
  return FixedPart(state, job) -
         static_cast<Int128>(WeightsOf(state).age) * job.eligible_at.micros();
}

Int128 CappedKey(const State& state, const JobRow& job) { return FixedPart(state, job); }

}  // namespace pinka
