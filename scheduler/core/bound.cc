#include "scheduler/core/bound.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/billing.h"

namespace pinka {
namespace {

// What is held for work on a node and not posted yet.
Money HeldOn(const State& state, const NodeUse* use) {
  Money held;
  if (!use) return held;
  for (const AttemptId& id : use->attempts) {
    const HoldRow* hold = state.holds.Find(id);
    if (hold && hold->state == HoldState::kOpen && hold->asset == kCurrency)
      held += hold->amount - hold->posted;
  }
  return held;
}

Money RestOf(const State& state, const RentalRow& row, const NodeUse* use) {
  const Duration left = BoundUntil(row.rule, row.opened_at, state.now) - state.now;
  if (row.stopped || left <= Duration()) return Money();
  const Money rest = TimeCost(row.rule.rate, UnitTime::Of(row.units, left));
  return std::max(rest - HeldOn(state, use), Money());
}

}  // namespace

Bound BoundOf(const State& state, TierId tier, TierId on, int32_t units) {
  Bound bound;
  for (const auto& [node, id] : state.open_rentals) {
    const RentalRow& row = state.rentals.Get(id);
    if (tier && row.tier != tier) continue;
    const auto found = state.node_use.find(node);
    const NodeUse* use = found == state.node_use.end() ? nullptr : &found->second;
    const Money rest = RestOf(state, row, use);
    if (rest == Money()) continue;
    bound.sum += rest;
    ++bound.machines;
    const NodeRow& of = state.nodes.Get(node);
    const int32_t free = of.state == NodeState::kReady ? of.units - (use ? use->units : 0) : 0;
    if (free >= std::max(units, 1) && row.tier == on) bound.most = std::max(bound.most, rest);
  }
  return bound;
}

std::string Describe(const State& state, const Bound& bound) {
  if (bound.sum == Money()) return "";
  return fmt::format("{} of it are bound by minimums and blocks of {} machine{} that {} on",
                     FormatAmount(bound.sum, state.lab.currency), bound.machines,
                     bound.machines == 1 ? "" : "s", bound.machines == 1 ? "is" : "are");
}

}  // namespace pinka
