#include "scheduler/core/thresholds.h"

#include "fmt/format.h"
#include "scheduler/core/limits.h"

namespace pinka {
namespace {

bool Reached(int64_t used, int64_t amount, int32_t percent) {
  return amount > 0 && Int128{used} * 100 >= Int128{amount} * percent;
}

MemberId WhoseUse(const LimitRow& limit, MemberId member) {
  return limit.of == LimitOf::kEach ? member : MemberId();
}

void Cross(State& state, const LimitRow& limit, MemberId member) {
  const MemberId whose = WhoseUse(limit, member);
  const Timestamp start = PeriodStart(state, limit);
  int64_t used = -1;
  for (const int32_t percent : limit.notify_at) {
    const ThresholdKey key{limit.id, whose, percent, start};
    if (state.thresholds.Find(key)) continue;
    if (used < 0) used = UsedOf(state, limit, member);
    if (!Reached(used, limit.amount, percent)) return;  // they rise
    state.thresholds.Put(key, {limit.id, whose, percent, start, state.now});
    Log(state, "limit", std::to_string(limit.id.value()), fmt::format("crossed {} %", percent),
        fmt::format("{} of {} used{}", LimitAmount(state, limit, used), LimitTitle(state, limit),
                    whose ? " by " + MemberName(state, whose) : ""));
  }
}

}  // namespace

void CrossThresholds(State& state, const OpenKey& of) {
  const auto& [member, project, tier] = of;
  for (const LimitRow* limit : LimitsFor(state, member, project, tier)) {
    if (!limit->notify_at.empty()) Cross(state, *limit, member);
  }
}

std::vector<int32_t> CrossedOf(const State& state, const LimitRow& limit, MemberId member) {
  std::vector<int32_t> crossed;
  const Timestamp start = PeriodStart(state, limit);
  for (const int32_t percent : limit.notify_at) {
    if (state.thresholds.Find({limit.id, WhoseUse(limit, member), percent, start}))
      crossed.push_back(percent);
  }
  return crossed;
}

bool GoesOn(const State& state, const ThresholdRow& row) {
  const LimitRow* limit = state.limits.Find(row.limit);
  if (!limit || limit->absent) return false;
  switch (limit->period) {
    case Period::kNone:
      return true;
    case Period::kDated:
      return limit->until > state.now;
    case Period::kDay:
    case Period::kMonth: {
      const PeriodRow* period = PeriodAt(state, limit->period, row.start_at);
      return period && period->end_at > state.now;
    }
    case Period::kNight:
      return false;
  }
  return false;
}

}  // namespace pinka
