#include "scheduler/core/lost_spot.h"

#include <algorithm>

#include "scheduler/core/task.h"

namespace pinka {
namespace {

bool TookItsMachine(EndReason reason) {
  return reason == EndReason::kSpotReclaim || reason == EndReason::kNodeLost;
}

// The task's attempts that ended because their spot machine was taken or lost.
int32_t LostSpot(const State& state, TaskId task) {
  int32_t lost = 0;
  const auto& rows = state.attempts.rows();
  for (auto it = rows.lower_bound({task.job, task.index, 0});
       it != rows.end() && it->first.job == task.job && it->first.index == task.index; ++it) {
    const AttemptRow& attempt = it->second;
    if (attempt.source == Source::kSpot && TookItsMachine(attempt.end_reason)) ++lost;
  }
  return lost;
}

}  // namespace

bool HasLeftSpot(const State& state, const JobRow& job, int32_t index) {
  const int32_t most = state.tiers.Get(job.tier).on_demand_after;
  return most > 0 && LostSpot(state, {job.id, index}) >= most;
}

void LeaveSpot(const State& state, const JobRow& job, std::vector<Offer>& offers) {
  const bool ever = state.tiers.Get(job.tier).on_demand_after > 0;
  if (!ever || job.source != Wish::kAny || offers.size() < 2) return;
  const auto spot = std::ranges::find(offers, Source::kSpot, &Offer::source);
  if (spot == offers.end()) return;
  const auto task = NextTask(state, job);
  if (task && HasLeftSpot(state, job, *task)) offers.erase(spot);
}

}  // namespace pinka
