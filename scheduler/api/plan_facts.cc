#include "scheduler/api/plan_facts.h"

#include <algorithm>

#include "scheduler/api/forms.h"

namespace pinka::api {
namespace {

constexpr Duration kUsualWindow = Duration::Days(28);
constexpr Duration kLongestWindow = Duration::Days(400);
constexpr int64_t kHourMicros = 3'600'000'000;
constexpr double kHourMs = 3'600'000;

Timestamp HourOf(Timestamp at) {
  return Timestamp::Micros(at.micros() / kHourMicros * kHourMicros);
}

size_t HoursBetween(Timestamp from, Timestamp to) {
  return to <= from ? 0 : static_cast<size_t>((to - from).micros() / kHourMicros);
}

}  // namespace

StatusOr<PlanWindow> WindowOf(const v1::AdvisePlanRequest& request, Timestamp now) {
  PlanWindow window;
  window.to = request.has_to() ? FromProto(request.to()) : now;
  window.from = HourOf(request.has_from() ? FromProto(request.from()) : window.to - kUsualWindow);
  if (window.from >= window.to) return Invalid("the window ends before it begins");
  if (window.to - window.from > kLongestWindow)
    return Invalid("the history is looked at for at most 400 days");
  return window;
}

std::vector<advise::PlanTier> PlanTiers(const Board& board, const PlanWindow& window,
                                        const std::vector<db::HourLine>& lines) {
  Timestamp first = window.to;
  for (const db::HourLine& line : lines) first = std::min(first, HourOf(line.hour));
  // The last hour may be cut: it is a whole one all the same.
  const size_t hours = HoursBetween(first, window.to) + 1;
  std::vector<advise::PlanTier> tiers;
  for (const Board::Tier& row : board.tiers) {
    advise::PlanTier& tier = tiers.emplace_back();
    tier.name = row.row.name;
    for (const auto& [source, rate] : row.rates) {
      if (source == Source::kOnDemand) tier.on_demand = rate;
      if (source == Source::kSpot) tier.spot = rate;
    }
    tier.use.units.assign(hours, 0);
    double all = 0;
    double checkpointed = 0;
    for (const db::HourLine& line : lines) {
      if (line.tier != row.row.id) continue;
      const size_t at = HoursBetween(first, line.hour);
      if (at < hours) tier.use.units[at] += static_cast<double>(line.unit_ms) / kHourMs;
      all += static_cast<double>(line.unit_ms);
      checkpointed += static_cast<double>(line.checkpointed_ms);
    }
    tier.use.spot_part = all > 0 ? checkpointed / all : 0;
  }
  return tiers;
}

}  // namespace pinka::api
