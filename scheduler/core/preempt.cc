#include "scheduler/core/preempt.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/task.h"

namespace pinka {
namespace {

// A line of a hold on hours of another member.
struct Lent {
  LotId lot;
  MemberId lender;
  int32_t n = 0;
};
std::vector<Lent> LentTo(const State& state, const AttemptRow& attempt) {
  std::vector<Lent> lent;
  if (attempt.source != Source::kPackage) return lent;
  const auto& lines = state.hold_lines.rows();
  for (auto it = lines.lower_bound({attempt.id, 0});
       it != lines.end() && it->first.first == attempt.id; ++it) {
    const LotRow* lot = state.lots.Find(it->second.lot);
    if (!lot || lot->owner.kind != OwnerKind::kMember) continue;
    const MemberId lender(lot->owner.id);
    if (lender != attempt.member) lent.push_back({lot->id, lender, it->first.second});
  }
  return lent;
}

// What a stop now gives back to one line of a hold: the use so far fills the lines in order.
Money GivenBack(const State& state, const AttemptRow& attempt, int32_t line) {
  Money used = Money::Micros(UnitTime::Of(attempt.units, state.now - attempt.started_at).millis());
  const auto& lines = state.hold_lines.rows();
  for (auto it = lines.lower_bound({attempt.id, 0});
       it != lines.end() && it->first.first == attempt.id; ++it) {
    const Money rest = std::max(it->second.amount - used, Money());
    if (it->first.second == line) return rest;
    used = std::max(used - it->second.amount, Money());
  }
  return Money();
}

struct Candidate {
  const AttemptRow* attempt = nullptr;
  bool anybody = false;  // scavenger or spot: for whoever stands better
  std::vector<Lent> lent;
};

// What of the tier may be stopped at all, by node.
std::map<NodeId, std::vector<Candidate>> CandidatesOf(const State& state, TierId tier) {
  std::map<NodeId, std::vector<Candidate>> candidates;
  const auto some = state.interruptible.find(tier);
  if (some == state.interruptible.end()) return candidates;
  for (const AttemptId& id : some->second) {
    const AttemptRow& attempt = state.attempts.Get(id);
    const bool runs = attempt.state == AttemptState::kRunning && attempt.want == Want::kRun;
    if (!runs || state.nodes.Get(attempt.node).state != NodeState::kReady) continue;
    if (state.now - attempt.started_at < LeastRun(state, attempt)) continue;
    if (PreemptedLately(state, id)) continue;
    Candidate candidate;
    candidate.attempt = &attempt;
    candidate.anybody =
        attempt.source == Source::kSpot || state.jobs.Get(id.job).klass == JobClass::kScavenger;
    candidate.lent = LentTo(state, attempt);
    if (candidate.anybody || !candidate.lent.empty())
      candidates[attempt.node].push_back(std::move(candidate));
  }
  return candidates;
}

// Whether work that starts so could be stopped for others.
bool Firm(const State& state, const JobRow& job, const Offer& offer) {
  if (job.klass == JobClass::kScavenger || offer.source == Source::kSpot) return false;
  if (offer.source != Source::kPackage) return true;
  return std::ranges::none_of(
      PackageParts(state, PackageOf(offer.asset), job.member, offer.hold), [&](const auto& part) {
        const Owner& owner = state.lots.Get(part.first).owner;
        return owner.kind == OwnerKind::kMember && owner != OwnedBy(job.member);
      });
}

using Chosen = std::vector<const AttemptRow*>;

// As sorted until it is enough; then each that is not needed is given back, in reverse.
template <class Enough>
Chosen Fewest(const Chosen& sorted, const Enough& enough) {
  Chosen chosen;
  for (const AttemptRow* attempt : sorted) {
    chosen.push_back(attempt);
    if (enough(chosen)) break;
  }
  if (!enough(chosen)) return {};
  for (size_t i = chosen.size(); i-- > 0;) {
    Chosen without = chosen;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (enough(without)) chosen = std::move(without);
  }
  return chosen;
}

// The search for one job, beside what those before it are promised.
class Search {
 public:
  using Candidates = std::map<NodeId, std::vector<Candidate>>;
  using Ahead = std::vector<TierPass::Promised>;

  Search(const State& state, TierRoom& room, const Candidates& candidates, const Ahead& ahead,
         const JobRow& job)
      : state_(state), room_(room), candidates_(candidates), ahead_(ahead), job_(job) {}

  // For one that room blocks and that is promised a slot.
  Chosen ForRoom(const Look& look) {
    const Offer* offer = FirmOffer(look.offers);
    if (!offer || FreedAlready(*look.promise)) return {};
    Count(offer->rate);
    const Wanted wanted = WantedBy(job_, offer->source);
    Chosen best;
    std::tuple<size_t, int64_t> least;
    for (const auto& [node, on_node] : candidates_) {
      const Chosen chosen = Fewest(Worse(on_node, offer->asset), [&](const Chosen& some) {
        const Timestamp freed = FreedAt(some);
        return freed < look.promise->at && FitsWithout(node, some, wanted, freed);
      });
      if (chosen.empty()) continue;
      int64_t units = 0;
      for (const AttemptRow* attempt : chosen) units += attempt->units;
      const std::tuple cost(chosen.size(), units);
      if (!best.empty() && cost >= least) continue;
      best = chosen;
      least = cost;
    }
    return best;
  }

  // For one whose own hours are lent.
  Chosen ForHours() {
    const bool hours = job_.source == Wish::kAny || job_.source == Wish::kPackage;
    if (!hours || job_.klass == JobClass::kScavenger) return {};
    for (PackageId id : PackagesInReach(state_, job_.member, job_.tier, job_.time_limit)) {
      const PortionRow& own = state_.portions.Get({id, job_.member});
      const LotRow* lot = state_.lots.Find(own.lot);
      if (!lot) continue;
      const Money missing =
          Money::Micros(UnitTime::Of(job_.units, job_.time_limit).millis()) - Available(*lot);
      Chosen chosen = Lenders(id, lot->id, missing);
      if (!chosen.empty()) return chosen;
    }
    return {};
  }

 private:
  const Offer* FirmOffer(const std::vector<Offer>& offers) const {
    for (const Offer& offer : offers) {
      if (offer.not_before <= state_.now && Firm(state_, job_, offer)) return &offer;
    }
    return nullptr;
  }

  void Count(Rate rate) {
    const Int128 weight =
        static_cast<Int128>(UnitWeight(state_, job_.tier, job_.klass, rate)) * job_.units;
    shares_ = FairShares(state_, ShareKeyOf(job_), UseOfAStart(state_, weight));
    standing_ = StandingOf(state_, job_, shares_);
  }

  Standing StandingAfter(const AttemptRow& attempt) const {
    return StandingOf(state_, state_.jobs.Get(attempt.id.job), shares_);
  }

  // Those that the job may stop, the largest first, then who stands last.
  Chosen Worse(const std::vector<Candidate>& on_node, AssetId asset) const {
    Chosen worse;
    for (const Candidate& candidate : on_node) {
      const AttemptRow& attempt = *candidate.attempt;
      const bool own = asset != kCurrency && state_.holds.Get(attempt.id).asset == asset &&
                       std::ranges::count(candidate.lent, job_.member, &Lent::lender) > 0;
      if ((candidate.anybody || own) && standing_ < StandingAfter(attempt))
        worse.push_back(&attempt);
    }
    std::ranges::sort(worse, [&](const AttemptRow* a, const AttemptRow* b) {
      if (a->units != b->units) return a->units > b->units;
      const Standing of_a = StandingAfter(*a), of_b = StandingAfter(*b);
      if (of_a < of_b || of_b < of_a) return of_b < of_a;
      return a->id > b->id;
    });
    return worse;
  }

  // What borrows from the lot and is to give back so much, the most first.
  Chosen Lenders(PackageId package, LotId lot, Money missing) {
    if (missing <= Money()) return {};  // its own hours are not what it lacks
    Count(RateOf(state_.packages.Get(package)));
    std::map<const AttemptRow*, Money> back;
    Chosen sorted;
    for (const auto& [node, on_node] : candidates_) {
      for (const Candidate& candidate : on_node) {
        const auto lent = std::ranges::find(candidate.lent, lot, &Lent::lot);
        if (lent == candidate.lent.end() || !(standing_ < StandingAfter(*candidate.attempt)))
          continue;
        back[candidate.attempt] = GivenBack(state_, *candidate.attempt, lent->n);
        sorted.push_back(candidate.attempt);
      }
    }
    std::ranges::sort(sorted, [&](const AttemptRow* a, const AttemptRow* b) {
      return std::tuple(-back[a], a->id) < std::tuple(-back[b], b->id);
    });
    const Wanted wanted = WantedBy(job_, Source::kPackage);
    return Fewest(sorted, [&](const Chosen& some) {
      Money sum;
      for (const AttemptRow* attempt : some) sum += back[attempt];
      return sum >= missing && FitsSomewhere(some, wanted);
    });
  }

  Timestamp FreedAt(const Chosen& some) const {
    Timestamp freed = state_.now;
    for (const AttemptRow* attempt : some) freed = std::max(freed, EndIfStopped(state_, *attempt));
    return freed;
  }

  // Whether it has room on the node once those are gone and those before it have taken theirs.
  bool FitsWithout(NodeId node, const Chosen& some, const Wanted& wanted, Timestamp freed) const {
    const NodeTimeline* now = room_.Find(node);
    if (!now || !room_.Suits(state_.nodes.Get(node), wanted)) return false;
    NodeTimeline without = *now;
    for (const AttemptRow* attempt : some) {
      if (attempt->node != node) continue;
      const int32_t gpus = static_cast<int32_t>(attempt->gpus.size());
      without.Change(EndIfStopped(state_, *attempt), attempt->units, gpus);
      without.Change(EndByLimit(state_, *attempt), -attempt->units, -gpus);
    }
    for (const TierPass::Promised& other : ahead_) {
      const Timestamp at = without.EarliestFit(other.wanted);
      if (at > freed || other.slot.at <= freed) continue;
      without.Take(at, at + other.wanted.span, other.wanted.units, other.wanted.gpus);
    }
    return without.EarliestFit(wanted) <= freed;
  }

  bool FitsSomewhere(const Chosen& some, const Wanted& wanted) const {
    const Timestamp freed = FreedAt(some);
    const auto slot = room_.Earliest(wanted);
    return (slot && slot->at <= freed) || std::ranges::any_of(some, [&](const AttemptRow* attempt) {
             return FitsWithout(attempt->node, some, wanted, freed);
           });
  }

  // Whether the slot is room that others are giving way from.
  bool FreedAlready(const Slot& slot) const {
    const auto use = state_.node_use.find(slot.node);
    if (use == state_.node_use.end()) return false;
    return std::ranges::any_of(use->second.attempts, [&](const AttemptId& id) {
      const AttemptRow& attempt = state_.attempts.Get(id);
      return attempt.state != AttemptState::kEnded && attempt.stop_reason == StopReason::kPreempt &&
             slot.at <= EndByLimit(state_, attempt);
    });
  }

  const State& state_;
  TierRoom& room_;
  const Candidates& candidates_;
  const Ahead& ahead_;
  const JobRow& job_;
  Shares shares_;  // once the job has started
  Standing standing_;
};

// Lent hours on their way back: nobody else is stopped for them.
bool Returning(const State& state, const JobRow& job) {
  const auto some = state.interruptible.find(job.tier);
  if (some == state.interruptible.end()) return false;
  return std::ranges::any_of(some->second, [&](const AttemptId& id) {
    const AttemptRow& attempt = state.attempts.Get(id);
    return attempt.stop_reason == StopReason::kPreempt &&
           std::ranges::count(LentTo(state, attempt), job.member, &Lent::lender) > 0;
  });
}

// A move to another source that is under way (deadline.h): where to.
std::optional<Source> MovesTo(const State& state, const JobRow& job) {
  const auto some = state.against_time.find(job.tier);
  if (some == state.against_time.end()) return std::nullopt;
  for (auto it = some->second.lower_bound({job.id, 0, 0});
       it != some->second.end() && it->job == job.id; ++it) {
    const AttemptRow& attempt = state.attempts.Get(*it);
    if (attempt.stop_reason != StopReason::kPreempt) continue;
    return attempt.source == Source::kSpot ? Source::kOnDemand : Source::kSpot;
  }
  return std::nullopt;
}

Offer By(Source source) {
  Offer offer;
  offer.source = source;
  return offer;
}

}  // namespace

Duration LeastRun(const State& state, const AttemptRow& attempt) {
  const Duration least = state.tiers.Get(attempt.tier).min_run;
  const auto open = state.open_rentals.find(attempt.node);
  if (open == state.open_rentals.end()) return least;
  return std::max(least, state.rentals.Get(open->second).rule.block);
}

bool PreemptedLately(const State& state, AttemptId id) {
  while (--id.number > 0) {
    const AttemptRow* earlier = state.attempts.Find(id);
    if (!earlier || earlier->ended_at + kPreemptAgain <= state.now) return false;
    if (earlier->end_reason == EndReason::kPreempted) return true;
  }
  return false;
}

std::vector<Offer> FreedOffers(const State& state, const JobRow& job) {
  if (const auto to = MovesTo(state, job)) return {By(*to)};
  if (job.counts[static_cast<size_t>(TaskState::kPending)] == 0) return {};
  Permit permit = Permitted(state, job);
  const bool short_of_hours =
      permit.blocked.reason == Reason::kPackagePortion || permit.blocked.reason == Reason::kBudget;
  if (short_of_hours && Returning(state, job)) return {By(Source::kPackage)};
  return std::move(permit.offers);
}

std::optional<Preemption> NextPreemption(const State& state, TierId tier) {
  const auto waiting = state.queues.find(tier);
  if (!state.policy.preemption || waiting == state.queues.end() || waiting->second.empty())
    return std::nullopt;
  const Search::Candidates candidates = CandidatesOf(state, tier);
  if (candidates.empty()) return std::nullopt;
  TierPass pass(state, tier, TierPass::Depth::kPromises);
  TierRoom room(state, tier);
  Search::Ahead ahead = pass.freed();
  for (const TierPass::Promised& freed : ahead) room.Promise(freed.slot, freed.wanted);
  for (const Look& look : pass.Finish()) {
    if (look.start) return std::nullopt;
    const JobRow& job = state.jobs.Get(look.job);
    const auto own = std::ranges::find(ahead, job.id, &TierPass::Promised::job);
    if (own != ahead.end()) {  // its turn: promised anew
      room.Withdraw(own->slot, own->wanted);
      ahead.erase(own);
    }
    Search search(state, room, candidates, ahead, job);
    Chosen chosen;
    if (look.promise) {
      chosen = search.ForRoom(look);
      room.Promise(*look.promise, look.wanted);
      ahead.push_back({job.id, *look.promise, look.wanted});
    } else if (look.blocked.reason == Reason::kPackagePortion ||
               look.blocked.reason == Reason::kBudget) {
      if (!Returning(state, job)) chosen = search.ForHours();
    }
    if (chosen.empty()) continue;
    Preemption preemption{job.id, {}};
    for (const AttemptRow* attempt : chosen) preemption.victims.push_back(attempt->id);
    return preemption;
  }
  return std::nullopt;
}

void Preempt(State& state, const Preemption& preemption) {
  const std::string cause = fmt::format("preempted for job {}", preemption.job.value());
  for (const AttemptId& id : preemption.victims) {
    StopAttempt(state, id, StopReason::kPreempt, {}, cause);
    state.attempts.Edit(id).message = cause;
  }
  SetFreed(state, preemption.job, state.now);
}

}  // namespace pinka
