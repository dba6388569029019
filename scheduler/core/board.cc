#include "scheduler/core/board.h"

#include <algorithm>

#include "base/parse.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/state.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

std::string Sentence(Reason reason) {
  switch (reason) {
    case Reason::kHeldByUser:
      return "held by its owner; `pinka release` lets it go";
    case Reason::kHeldByAdmin:
      return "held by an admin";
    case Reason::kInfraHoldMaxRequeue:
      return "held after 20 restarts for faults of machines; look at its attempts, then release it";
    default:
      return "waits for those ahead";
  }
}

Reason HoldReason(const State& state, const JobRow& job) {
  if (job.hold_reason != Reason::kOk) return job.hold_reason;
  const auto& rows = state.tasks.rows();
  for (auto it = rows.lower_bound({job.id, 0}); it != rows.end() && it->first.job == job.id; ++it) {
    if (it->second.state == TaskState::kHeld) return it->second.hold_reason;
  }
  return Reason::kHeldByUser;
}

// Positions and reasons of one tier: what a pass says of those that it looks at, the rest wait for
// those ahead.
void FillWaiting(const State& state, TierId tier, Board& board) {
  TierPass pass(state, tier, TierPass::Depth::kReasons);
  std::unordered_map<int64_t, const Look*> looks;
  for (const Look& look : pass.Finish()) looks[look.job.value()] = &look;
  int32_t position = 0;
  VisitInOrder(state, tier, [&](const JobRow& job, uint64_t) {
    Waiting w;
    w.position = ++position;
    w.reason = Reason::kPriority;
    const auto seen = looks.find(job.id.value());
    if (seen != looks.end()) {
      const Look& look = *seen->second;
      if (!look.start && look.blocked.reason != Reason::kPriority) {
        w.reason = look.blocked.reason;
        w.text = look.blocked.text;
      }
      if (look.promise) w.expected_start = look.promise->at;
    }
    board.waiting.emplace(job.id.value(), std::move(w));
    return true;
  });
}

// The package of a tier that ends next.
const PackageRow* NextPackage(const State& state, TierId tier) {
  const PackageRow* next = nullptr;
  for (const auto& [id, row] : state.packages.rows()) {
    const bool open = row.tier == tier && row.starts_at <= state.now && row.ends_at > state.now;
    if (open && (!next || row.ends_at < next->ends_at)) next = &row;
  }
  return next;
}

void FillTiers(const State& state, Board& board) {
  std::map<TierId, size_t> at;
  for (const auto& [id, row] : state.tiers.rows()) {
    if (row.absent) continue;
    Board::Tier tier;
    tier.row = row;
    for (Source source : {Source::kOwned, Source::kSpot, Source::kOnDemand, Source::kTrial}) {
      if (const auto rate = RateAt(state, id, source, state.now))
        tier.rates.emplace_back(source, *rate);
    }
    if (const PackageRow* package = NextPackage(state, id))
      tier.rates.emplace_back(Source::kPackage, RateOf(*package));
    at[id] = board.tiers.size();
    board.tiers.push_back(std::move(tier));
  }
  for (const Board::Node& node : board.nodes) {
    auto tier = at.find(node.row.tier);
    if (tier == at.end()) continue;
    Board::Tier& t = board.tiers[tier->second];
    t.units += node.row.units;
    if (node.row.state == NodeState::kReady) t.free += node.units_free;
    t.simulated = t.simulated || node.row.simulated;
    t.running += node.running;
  }
  for (const auto& [key, sums] : state.open_sums) {
    auto tier = at.find(std::get<2>(key));
    if (tier != at.end()) board.tiers[tier->second].pending += static_cast<int32_t>(sums.queued);
  }
}

void FillNodes(const State& state, Board& board) {
  for (const auto& [id, row] : state.nodes.rows()) {
    if (row.removed) continue;
    Board::Node node;
    node.row = row;
    auto use = state.node_use.find(id);
    const int32_t units = use == state.node_use.end() ? 0 : use->second.units;
    const auto is_free = [&](const Gpu& gpu) {
      const bool used = use != state.node_use.end() && use->second.gpus.contains(gpu.index);
      return gpu.fault.empty() && !used;
    };
    node.units_free = std::max(row.units - units, 0);
    node.gpus_free = static_cast<int32_t>(std::ranges::count_if(row.gpus, is_free));
    node.running = use == state.node_use.end() ? 0 : use->second.live;
    board.nodes.push_back(std::move(node));
  }
}

}  // namespace

std::shared_ptr<const Board> MakeBoard(const State& state, int64_t batch) {
  auto board = std::make_shared<Board>();
  board->batch = batch;
  board->now = state.now;
  board->lab = state.lab;
  for (const auto& [id, row] : state.members.rows()) board->member_names[id.value()] = row.name;
  for (const auto& [id, row] : state.tiers.rows()) board->tier_names[id.value()] = row.name;
  for (const auto& [id, row] : state.nodes.rows()) board->node_names[id.value()] = row.name;
  for (const auto& [id, row] : state.projects.rows()) {
    board->project_names[id.value()] = row.name;
    board->projects.push_back(row);
  }
  for (const auto& [name, row] : state.cards.rows()) {
    if (!row.absent) board->cards.push_back(row);
  }
  FillNodes(state, *board);
  FillTiers(state, *board);
  board->waiting.reserve(state.jobs.rows().size());
  for (const auto& [tier, queues] : state.queues) FillWaiting(state, tier, *board);
  for (const auto& [id, job] : state.jobs.rows()) {
    const bool pending = job.counts[static_cast<size_t>(TaskState::kPending)] > 0;
    if (pending && !board->waiting.contains(id.value())) {  // in no queue
      if (const auto not_yet = NotYetInWords(state, job))
        board->waiting[id.value()] = {0, not_yet->reason, not_yet->text, {}};
    }
    if (job.state != TaskState::kHeld) continue;
    const Reason reason = HoldReason(state, job);
    board->waiting[id.value()] = {0, reason, Sentence(reason), {}};
  }
  return board;
}

}  // namespace pinka
