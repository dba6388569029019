#include "scheduler/core/gate.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka {
namespace {

constexpr Duration kTryOut = Duration::Minutes(10);

// Whether a success on `tier` opens a gate of `gate`.
bool Counts(const State& state, TierId tier, TierId gate) {
  if (tier == gate) return true;
  const auto of_tier = RateAt(state, tier, Source::kOnDemand, state.now);
  const auto of_gate = RateAt(state, gate, Source::kOnDemand, state.now);
  return of_tier && of_gate && *of_tier >= *of_gate;
}

bool SucceededSince(const State& state, const JobRow& job, Timestamp since) {
  if (job.counts[static_cast<size_t>(TaskState::kCompleted)] == 0) return false;
  const auto& rows = state.tasks.rows();
  for (auto it = rows.lower_bound({job.id, 0}); it != rows.end() && it->first.job == job.id; ++it) {
    if (it->second.state == TaskState::kCompleted && it->second.ended_at >= since) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> MissingProof(const State& state, MemberId member,
                                        const JobRequest& request, TierId proven) {
  const TierRow& tier = state.tiers.Get(request.tier);
  const TierRow* gate = tier.gate ? state.tiers.Find(tier.gate) : nullptr;
  if (!gate || gate->absent || gate->id == tier.id) return std::nullopt;
  if (proven && Counts(state, proven, gate->id)) return std::nullopt;
  const Timestamp since = state.now - tier.gate_within;
  const std::string& wanted = ProvenBy(request.code, request.payload.hash);
  for (const auto& [id, job] : state.jobs.rows()) {
    if (job.member != member || ProvenBy(job.code, job.payload) != wanted) continue;
    if (Counts(state, job.tier, gate->id) && SucceededSince(state, job, since)) return std::nullopt;
  }
  return fmt::format(
      "tier {} {} a success of the same code on {} within {}, and there is none; try it first: "
      "pinka submit --tier {} --time {} {}",
      tier.name, tier.gate_refuses ? "asks for" : "would like", gate->name,
      FormatDuration(tier.gate_within), gate->name,
      FormatDuration(std::min(kTryOut, gate->max_time)), request.command);
}

}  // namespace pinka
