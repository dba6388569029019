#include "scheduler/core/plan.h"

#include <algorithm>
#include <queue>

#include "fmt/format.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/sources.h"
#include "scheduler/core/task.h"

namespace pinka {
namespace {

// How many blocked jobs of one member a pass looks behind before it gives that member up.
constexpr int kLookBehind = 100;

// One member's queue, walked best first: the young and the capped merged.
class Walk {
 public:
  Walk(const State& state, const Queue& queue, bool has_share, uint64_t fair)
      : state_(&state),
        young_(queue.young.begin()),
        young_end_(queue.young.end()),
        capped_(queue.capped.begin()),
        capped_end_(queue.capped.end()),
        has_share_(has_share),
        fair_(fair) {
    Settle();
  }
  bool done() const { return job_ == nullptr; }
  const JobRow& job() const { return *job_; }
  uint64_t fair() const { return fair_; }
  int seen() const { return seen_; }
  void Next() {
    ++(from_young_ ? young_ : capped_);
    ++seen_;
    Settle();
  }
  // Whether this head goes before another member's.
  bool Before(const Walk& other) const {
    if (has_share_ != other.has_share_) return has_share_;
    if (exact_ != other.exact_) return exact_ > other.exact_;
    if (job_->submitted_at != other.job_->submitted_at)
      return job_->submitted_at < other.job_->submitted_at;
    return job_->id < other.job_->id;
  }

 private:
  using Iterator = std::set<QueuePlace>::const_iterator;

  void Settle() {
    const JobRow* young = young_ == young_end_ ? nullptr : &state_->jobs.Get(young_->job);
    const JobRow* capped = capped_ == capped_end_ ? nullptr : &state_->jobs.Get(capped_->job);
    const Int128 of_young = young ? PriorityOf(*state_, *young, fair_).exact : 0;
    const Int128 of_capped = capped ? PriorityOf(*state_, *capped, fair_).exact : 0;
    from_young_ =
        young && (!capped || std::tuple(-of_young, young->submitted_at, young->id) <
                                 std::tuple(-of_capped, capped->submitted_at, capped->id));
    job_ = from_young_ ? young : capped;
    exact_ = from_young_ ? of_young : of_capped;
  }

  const State* state_;
  Iterator young_, young_end_, capped_, capped_end_;
  bool has_share_;
  uint64_t fair_;
  bool from_young_ = false;
  const JobRow* job_ = nullptr;
  Int128 exact_ = 0;
  int seen_ = 0;
};

struct LaterFirst {
  bool operator()(const Walk& a, const Walk& b) const { return b.Before(a); }
};
using Merge = std::priority_queue<Walk, std::vector<Walk>, LaterFirst>;

Merge HeadsOf(const State& state, TierId tier) {
  Merge heads;
  auto queues = state.queues.find(tier);
  if (queues == state.queues.end()) return heads;
  const auto shares = FairShares(state);
  for (const auto& [member, queue] : queues->second) {
    auto share = shares.find(member);
    const bool has_share = share != shares.end();
    Walk walk(state, queue, has_share, has_share ? share->second : 0);
    if (!walk.done()) heads.push(walk);
  }
  return heads;
}

std::vector<int32_t> FreeGpus(const NodeRow& node, const NodeUse& use) {
  std::vector<int32_t> free;
  for (const Gpu& gpu : node.gpus) {
    if (!use.gpus.contains(gpu.index)) free.push_back(gpu.index);
  }
  return free;
}

bool AnyReady(const State& state, TierId tier) {
  return std::ranges::any_of(state.nodes.rows(), [&](const auto& entry) {
    return entry.second.tier == tier && entry.second.state == NodeState::kReady;
  });
}

// Whether some ready node could take it, paid so, if nothing else ran there.
bool FitsEmpty(const State& state, const JobRow& job, Source source) {
  const NodesOf nodes(state, job.tier);
  return std::ranges::any_of(state.nodes.rows(), [&](const auto& entry) {
    const NodeRow& node = entry.second;
    return node.tier == job.tier && nodes.MayRun(node, source) && node.state == NodeState::kReady &&
           node.units >= job.units && static_cast<int32_t>(node.gpus.size()) >= job.gpus;
  });
}

// How the ready nodes are paid for on which one of these offers could run.
std::set<Source> NodesThatWouldDo(const State& state, const JobRow& job,
                                  const std::vector<Offer>& offers) {
  const NodesOf nodes(state, job.tier);
  std::set<Source> sources;
  for (const auto& [id, node] : state.nodes.rows()) {
    if (node.tier != job.tier || node.state != NodeState::kReady) continue;
    const bool any = std::ranges::any_of(
        offers, [&, &row = node](const Offer& o) { return nodes.MayRun(row, o.source); });
    if (any) sources.insert(node.source);
  }
  return sources;
}

// Whether the tier has ready nodes that nobody waits for.
bool AnyLeft(const State& state, TierId tier, const std::set<Source>& awaited) {
  return std::ranges::any_of(state.nodes.rows(), [&](const auto& entry) {
    const NodeRow& node = entry.second;
    return node.tier == tier && node.state == NodeState::kReady && !awaited.contains(node.source);
  });
}

}  // namespace

int32_t UnitsOf(const TierRow& tier, int32_t gpus, int32_t cpus, int64_t memory) {
  const auto up = [](int64_t n, int64_t per) {
    return per <= 0 ? 0 : n / per + (n % per > 0 ? 1 : 0);
  };
  const int64_t units = std::max({up(gpus, tier.unit_gpus), up(cpus, tier.unit_cpus),
                                  up(memory, tier.unit_memory), int64_t{1}});
  return static_cast<int32_t>(std::min<int64_t>(units, INT32_MAX));
}

std::optional<std::pair<NodeId, std::vector<int32_t>>> Place(const State& state, TierId tier,
                                                             Source source, int32_t units,
                                                             int32_t gpus, Duration span) {
  static const NodeUse kUnused;
  const NodesOf nodes(state, tier);
  const NodeRow* best = nullptr;
  int32_t best_free = 0;
  int64_t best_paid = 0;
  for (const auto& [id, node] : state.nodes.rows()) {
    if (node.tier != tier || node.state != NodeState::kReady) continue;
    if (!nodes.MayRun(node, source)) continue;
    auto it = state.node_use.find(id);
    const NodeUse& use = it == state.node_use.end() ? kUnused : it->second;
    const int32_t free = node.units - use.units;
    if (free < units || static_cast<int32_t>(FreeGpus(node, use).size()) < gpus) continue;
    const int64_t paid = std::min(PaidLeft(state, id), span).seconds() / 60;
    if (!best || std::tuple(-paid, free) < std::tuple(-best_paid, best_free)) {
      best = &node;
      best_free = free;
      best_paid = paid;
    }
  }
  if (!best) return std::nullopt;
  auto it = state.node_use.find(best->id);
  std::vector<int32_t> free = FreeGpus(*best, it == state.node_use.end() ? kUnused : it->second);
  free.resize(static_cast<size_t>(gpus));
  return std::pair(best->id, free);
}

Judgement Judge(const State& state, const JobRow& job) {
  const auto blocked = [](Reason reason, std::string text) {
    return Judgement{{reason, std::move(text), Money()}, std::nullopt, {}};
  };
  const TierRow& tier = state.tiers.Get(job.tier);
  const JobIndex& index = state.job_index.at(job.id);
  if (job.max_running > 0 && index.live >= job.max_running) {
    return blocked(Reason::kArrayTaskLimit,
                   fmt::format("{} of its tasks run, as many as it allows", index.live));
  }
  if (tier.absent || !AnyReady(state, job.tier)) {
    return blocked(Reason::kTierDown, fmt::format("no node of tier {} is ready", tier.name));
  }
  const Choice choice = ChooseSource(
      state, {job.member, job.project, job.tier, job.source, job.units, job.time_limit});
  if (choice.offers.empty()) return {choice.blocked, std::nullopt, {}};
  Offer offer;
  std::optional<std::pair<NodeId, std::vector<int32_t>>> place;
  bool fits_empty = false;
  for (const Offer& o : choice.offers) {
    offer = o;
    place = Place(state, job.tier, o.source, job.units, job.gpus, job.time_limit);
    if (place) break;
    fits_empty = fits_empty || FitsEmpty(state, job, o.source);
  }
  if (!place && !fits_empty) {
    return blocked(Reason::kNoCapacity,
                   fmt::format("no ready node of tier {} has {} unit(s)", tier.name, job.units));
  }
  if (!place) {
    Judgement waits = blocked(
        Reason::kResources,
        fmt::format("waits for {} free unit(s) on one node of tier {}", job.units, tier.name));
    waits.waits_for = NodesThatWouldDo(state, job, choice.offers);
    return waits;
  }
  const auto task = NextTask(state, job);
  PINKA_CHECK(task.has_value(), "a queued job has a waiting task");
  return {{},
          Start{{job.id, *task},
                place->first,
                place->second,
                offer.source,
                offer.rate,
                offer.asset,
                offer.hold},
          {}};
}

std::optional<Start> NextStart(const State& state, TierId tier) {
  Merge heads = HeadsOf(state, tier);
  std::set<Source> awaited;  // nodes paid so wait for a job that stands before
  while (!heads.empty()) {
    Walk head = heads.top();
    heads.pop();
    Judgement judgement = Judge(state, head.job());
    const Reason reason = judgement.blocked.reason;
    if (judgement.start) {
      const Source source = state.nodes.Get(judgement.start->node).source;
      if (!awaited.contains(source)) return judgement.start;
    } else if (reason == Reason::kTierDown) {
      return std::nullopt;
    } else if (reason == Reason::kResources) {
      awaited.insert(judgement.waits_for.begin(), judgement.waits_for.end());
      if (!AnyLeft(state, tier, awaited)) return std::nullopt;
    }
    head.Next();
    if (!head.done() && head.seen() < kLookBehind) heads.push(head);
  }
  return std::nullopt;
}

void VisitInOrder(const State& state, TierId tier,
                  const std::function<bool(const JobRow&, uint64_t fair)>& visit) {
  Merge heads = HeadsOf(state, tier);
  while (!heads.empty()) {
    Walk head = heads.top();
    heads.pop();
    if (!visit(head.job(), head.fair())) return;
    head.Next();
    if (!head.done()) heads.push(head);
  }
}

}  // namespace pinka
