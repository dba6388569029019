#include "scheduler/core/figures.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "scheduler/core/board.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/state.h"

namespace pinka {
namespace {

using Places = std::map<TierId, Figures::Tier*>;

void CountNodes(const State& state, const Places& tiers) {
  for (const auto& [id, row] : state.nodes.rows()) {
    const auto place = tiers.find(row.tier);
    if (row.removed || place == tiers.end()) continue;
    Figures::Tier& tier = *place->second;
    ++tier.nodes[static_cast<size_t>(row.state)];
    tier.units += row.units;
    const auto use = state.node_use.find(id);
    const int32_t used = use == state.node_use.end() ? 0 : use->second.units;
    if (row.state == NodeState::kReady) tier.free += std::max(row.units - used, 0);
  }
}

void CountTasks(const State& state, const Places& tiers) {
  for (const JobRow& job : std::views::values(state.jobs.rows())) {
    const auto place = tiers.find(job.tier);
    if (job.ended_at || place == tiers.end()) continue;
    Figures::Tier& tier = *place->second;
    for (size_t n = 0; n < tier.tasks.size(); ++n) tier.tasks[n] += job.counts[n];
    if (job.counts[static_cast<size_t>(TaskState::kPending)] > 0 && job.eligible_at)
      tier.oldest_wait = std::max(tier.oldest_wait, state.now - job.eligible_at);
  }
}

void SumMonth(const State& state, const Places& tiers) {
  const PeriodRow* month = PeriodAt(state, Period::kMonth, state.now);
  if (!month) return;
  for (const SpendRow& row : std::views::values(state.spend.rows())) {
    const auto place = tiers.find(row.tier);
    const bool now = row.period == Period::kMonth && row.start_at == month->start_at;
    if (!now || place == tiers.end()) continue;
    place->second->charged += row.charged;
    place->second->unit_ms += row.unit_ms;
  }
}

void SumMoney(const State& state, Figures* out) {
  for (const LotRow& lot : std::views::values(state.lots.rows())) {
    const bool open = lot.starts_at <= state.now && lot.ends_at > state.now && !lot.lapsed;
    if (lot.asset != kCurrency || !open) continue;
    out->held += lot.held;
    out->available += Available(lot);
  }
}

void FillLimits(const State& state, Figures* out) {
  for (const LimitUse& use : AllLimits(state)) {
    const bool common = use.row.scope.kind != OwnerKind::kMember && use.row.of != LimitOf::kEach;
    if (use.row.unlimited || !common) continue;
    out->limits.push_back({use.scope, use.tier, use.row.resource, use.used, use.row.amount});
  }
}

}  // namespace

Figures FiguresOf(const State& state) {
  Figures out;
  std::vector<TierId> ids;
  for (const auto& [id, row] : state.tiers.rows()) {
    if (row.absent) continue;
    ids.push_back(id);
    out.tiers.emplace_back().name = row.name;
  }
  Places tiers;
  for (size_t n = 0; n < ids.size(); ++n) tiers[ids[n]] = &out.tiers[n];
  CountNodes(state, tiers);
  CountTasks(state, tiers);
  SumMonth(state, tiers);
  SumMoney(state, &out);
  FillLimits(state, &out);
  out.members = std::ranges::count_if(std::views::values(state.members.rows()),
                                      [](const MemberRow& row) { return !row.removed; });
  out.open_holds = static_cast<int64_t>(state.holds.rows().size());
  out.rentals = static_cast<int64_t>(state.open_rentals.size());
  return out;
}

}  // namespace pinka
