#include "scheduler/core/plan.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/deadline.h"
#include "scheduler/core/lost_spot.h"
#include "scheduler/core/preempt.h"
#include "scheduler/core/task.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

// The cards of a node that nobody has, lowest first.
std::vector<int32_t> FreeGpus(const State& state, NodeId id, int32_t wanted) {
  const auto use = state.node_use.find(id);
  std::vector<int32_t> free;
  for (const Gpu& gpu : state.nodes.Get(id).gpus) {
    if (static_cast<int32_t>(free.size()) == wanted) break;
    if (!gpu.fault.empty()) continue;
    if (use == state.node_use.end() || !use->second.gpus.contains(gpu.index))
      free.push_back(gpu.index);
  }
  return free;
}

Start StartOf(const State& state, const JobRow& job, NodeId node, const Offer& offer) {
  const auto task = NextTask(state, job);
  PINKA_CHECK(task.has_value(), "a queued job has a waiting task");
  return {{job.id, *task},
          node,
          FreeGpus(state, node, job.gpus),
          offer.source,
          offer.rate,
          offer.asset,
          offer.hold,
          offer.time_limit};
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

Permit Permitted(const State& state, const JobRow& job) {
  const auto blocked = [](Reason reason, std::string text) {
    return Permit{{reason, std::move(text), Money()}, {}};
  };
  if (auto not_yet = NotYetInWords(state, job)) return {*std::move(not_yet), {}};
  const TierRow& tier = state.tiers.Get(job.tier);
  const JobIndex& index = state.job_index.at(job.id);
  if (job.max_running > 0 && index.live >= job.max_running) {
    return blocked(Reason::kArrayTaskLimit,
                   fmt::format("{} of its tasks run, as many as it allows", index.live));
  }
  if (tier.absent) return blocked(Reason::kTierDown, fmt::format("tier {} is gone", tier.name));
  Choice choice = ChooseSource(state, NeedOf(state, job));
  if (choice.offers.empty()) return {choice.blocked, {}};
  LeaveSpot(state, job, choice.offers);
  KeepPace(state, job, choice.offers);
  return {{}, std::move(choice.offers)};
}

bool BlockedByRoom(const Look& look) { return !look.start && !look.offers.empty(); }

TierPass::TierPass(const State& state, TierId tier, Depth depth)
    : state_(&state), depth_(depth), queue_(state, tier), room_(state, tier) {
  // Who is only looked at is not in the state: what runs is taken from it before that.
  if (depth != Depth::kStarts) room_.Build();
  for (JobId id : state.freed) {
    if (const JobRow& job = state.jobs.Get(id); job.tier == tier) PromiseFreed(job);
  }
}

// Room that was freed for a job is its own until it starts: the earliest there is, before anybody
// else is looked at.
void TierPass::PromiseFreed(const JobRow& job) {
  Look look;
  look.job = job.id;
  look.offers = FreedOffers(*state_, job);
  if (!PlaceEarliest(job, look)) return;
  freed_.push_back({job.id, *look.promise, look.wanted});
}

// Its turn has come: what it was promised is free for itself.
void TierPass::Redeem(JobId job) {
  const auto freed = std::ranges::find(freed_, job, &Promised::job);
  if (freed == freed_.end()) return;
  room_.Withdraw(freed->slot, freed->wanted);
  freed_.erase(freed);
}

bool TierPass::Enough() const {
  if (queue_.empty() || looked_ >= kLooks) return true;
  if (depth_ != Depth::kReasons && !state_->policy.backfill && !promises_.empty()) return true;
  if (depth_ == Depth::kStarts) return room_.widest() == 0;
  return depth_ == Depth::kPromises && promises_.size() == kPromisedJobs;
}

std::optional<Start> TierPass::Next() {
  if (std::exchange(ordered_, false)) queue_.AfterStart();
  while (!Enough()) {
    if (auto start = Step()) return start;
  }
  return std::nullopt;
}

const std::vector<Look>& TierPass::Finish() {
  while (!Enough()) Step();
  return looks_;
}

// One job of the recipe.
std::optional<Start> TierPass::Step() {
  ++looked_;
  const JobRow& job = queue_.top();
  const bool reading = depth_ != Depth::kStarts;
  Redeem(job.id);
  const bool hopeless = promises_.size() == kPromisedJobs && job.units > room_.widest();
  if (reading || !hopeless) {
    Look look = Consider(job);
    if (look.start) {
      room_.Start(look.start->node, WantedBy(job, look.start->source));
      if (!reading) {
        queue_.BeforeStart();
        ordered_ = true;
        return look.start;
      }
    } else if (!look.offers.empty()) {
      Promise(job, look);
    }
    if (reading) looks_.push_back(std::move(look));
  }
  if (queue_.passed() + 1 >= kLookBehind) {
    queue_.NextMember();
  } else {
    queue_.Next();
  }
  return std::nullopt;
}

void TierPass::Promise(const JobRow& job, Look& look) {
  if (promises_.size() == kPromisedJobs) return;
  if (PlaceEarliest(job, look)) promises_.push_back({job.id, *look.promise, look.wanted});
}

// Promises the look the earliest slot that one of its offers would pay for.
bool TierPass::PlaceEarliest(const JobRow& job, Look& look) {
  for (const Offer& offer : look.offers) {
    const Wanted wanted = WantedBy(job, offer.source);
    const auto slot = room_.Earliest(wanted, offer.not_before);
    if (!slot || (look.promise && look.promise->at <= slot->at)) continue;
    look.promise = slot;
    look.wanted = wanted;
  }
  if (look.promise) room_.Promise(*look.promise, look.wanted);
  return look.promise.has_value();
}

Look TierPass::Consider(const JobRow& job) const {
  Look look;
  look.job = job.id;
  Permit permit = Permitted(*state_, job);
  look.blocked = std::move(permit.blocked);
  if (room_.empty() && look.blocked.reason != Reason::kArrayTaskLimit) {
    look.blocked = {Reason::kTierDown,
                    fmt::format("no node of tier {} is ready", TierName(*state_, job.tier)),
                    Money()};
    return look;
  }
  const bool closed = !state_->policy.backfill && !promises_.empty();
  bool possible = false;
  for (const Offer& offer : permit.offers) {
    const Wanted wanted = WantedBy(job, offer.source);
    const bool waits = closed || offer.not_before > state_->now;
    const auto node = waits ? std::nullopt : room_.FitNow(wanted);
    if (node) {
      look.start = StartOf(*state_, job, *node, offer);
      return look;
    }
    possible = possible || room_.FitsEmpty(wanted);
  }
  if (permit.offers.empty()) return look;
  if (!possible) {
    std::string text = NoCuda(*state_, job.tier, job.need_cuda);
    if (text.empty())
      text = fmt::format("no ready node of tier {} has {} unit(s)", TierName(*state_, job.tier),
                         job.units);
    look.blocked = {Reason::kNoCapacity, std::move(text), Money()};
    return look;
  }
  look.offers = std::move(permit.offers);
  WhyNoRoom(job, look);
  return look;
}

// In the order of reason.h: promised to others, others first, no room.
void TierPass::WhyNoRoom(const JobRow& job, Look& look) const {
  look.blocked.reason = Reason::kPriority;
  const bool say = depth_ == Depth::kReasons;
  const auto later = std::ranges::find_if(
      look.offers, [&](const Offer& offer) { return offer.not_before > state_->now; });
  if (later != look.offers.end()) {
    look.blocked.reason = Reason::kResources;
    if (say) {
      look.blocked.text = fmt::format("waits for a spot node, and takes {} from {} on",
                                      Name(later->source), FormatUtc(later->not_before));
    }
    return;
  }
  for (const Offer& offer : look.offers) {
    const auto node = room_.FreeNow(WantedBy(job, offer.source));
    if (!node || !state_->policy.backfill) continue;
    look.blocked.reason = Reason::kReservation;
    if (const auto whose = PromisedOn(*node); say && whose) {
      look.blocked.text = fmt::format(
          "would still run when job {} is to start, to which its room is promised", whose->value());
    }
    return;
  }
  if (promises_.empty()) {
    look.blocked.reason = Reason::kResources;
    if (say) {
      look.blocked.text = fmt::format("waits for {} free unit(s) on one node of tier {}", job.units,
                                      TierName(*state_, job.tier));
    }
    return;
  }
  if (say) look.blocked.text = "waits for room that those ahead are to have first";
}

std::optional<JobId> TierPass::PromisedOn(NodeId node) const {
  for (const auto* promises : {&freed_, &promises_}) {
    const auto whose =
        std::ranges::find(*promises, node, [](const Promised& p) { return p.slot.node; });
    if (whose != promises->end()) return whose->job;
  }
  return std::nullopt;
}

std::optional<Start> NextStart(const State& state, TierId tier) {
  return TierPass(state, tier).Next();
}

void VisitInOrder(const State& state, TierId tier,
                  const std::function<bool(const JobRow&, uint64_t fair)>& visit) {
  for (TierQueue queue(state, tier); !queue.empty(); queue.Next()) {
    if (!visit(queue.top(), queue.fair())) return;
  }
}

}  // namespace pinka
