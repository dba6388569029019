#include "scheduler/core/tier_queue.h"

#include <algorithm>
#include <tuple>

#include "scheduler/core/fair_share.h"

namespace pinka {

bool operator<(const Standing& a, const Standing& b) {
  return std::tuple(!a.has_share, -a.exact, a.submitted_at, a.job) <
         std::tuple(!b.has_share, -b.exact, b.submitted_at, b.job);
}

Standing StandingOf(const State& state, const JobRow& job, const Shares& shares) {
  const uint64_t* share = shares.Find(ShareKeyOf(job));
  return {share != nullptr || !state.policy.fair_share,
          ExactPriority(state, job, share ? *share : 0), job.submitted_at, job.id};
}

TierQueue::TierQueue(const State& state, TierId tier)
    : state_(&state), tier_(tier), shares_(FairShares(state)) {
  const auto queues = state.queues.find(tier);
  if (queues == state.queues.end()) return;
  for (const auto& [whose, queue] : queues->second) {
    Head head;
    head.whose = whose;
    head.young = queue.young.begin();
    head.young_end = queue.young.end();
    head.capped = queue.capped.begin();
    head.capped_end = queue.capped.end();
    Settle(head, shares_);
    if (head.job) heads_.push_back(head);
  }
  std::ranges::make_heap(heads_, Later);
}

// The better of the member's best young job and the best at the age cap.
void TierQueue::Settle(Head& head, const Shares& shares) const {
  const auto job_at = [&](Iterator it, Iterator end) {
    return it == end ? nullptr : &state_->jobs.Get(it->job);
  };
  const JobRow* young = job_at(head.young, head.young_end);
  const JobRow* capped = job_at(head.capped, head.capped_end);
  const uint64_t* share = shares.Find(head.whose);
  head.fair = share ? *share : 0;
  head.job = nullptr;
  if (young) {
    head.standing = StandingOf(*state_, *young, shares);
    head.from_young = true;
    head.job = young;
  }
  if (!capped) return;
  const Standing of_capped = StandingOf(*state_, *capped, shares);
  if (young && head.standing < of_capped) return;
  head.standing = of_capped;
  head.from_young = false;
  head.job = capped;
}

void TierQueue::Next() {
  // pop_heap compares the front's old standing; only then may it change.
  std::ranges::pop_heap(heads_, Later);
  Head& head = heads_.back();
  ++(head.from_young ? head.young : head.capped);
  ++head.passed;
  Settle(head, shares_);
  if (head.job) {
    std::ranges::push_heap(heads_, Later);
  } else {
    heads_.pop_back();
  }
}

void TierQueue::NextMember() {
  std::ranges::pop_heap(heads_, Later);
  heads_.pop_back();
}

void TierQueue::BeforeStart() {
  const Head& head = heads_.front();
  young_place_.reset();
  capped_place_.reset();
  if (head.young != head.young_end) young_place_ = *head.young;
  if (head.capped != head.capped_end) capped_place_ = *head.capped;
}

void TierQueue::AfterStart() {
  shares_ = FairShares(*state_);
  Head& head = heads_.front();
  const auto queues = state_->queues.find(tier_);
  const Queue* queue = nullptr;
  if (queues != state_->queues.end()) {
    const auto own = queues->second.find(head.whose);
    if (own != queues->second.end()) queue = &own->second;
  }
  if (queue) {
    head.young_end = queue->young.end();
    head.young = young_place_ ? queue->young.lower_bound(*young_place_) : head.young_end;
    head.capped_end = queue->capped.end();
    head.capped = capped_place_ ? queue->capped.lower_bound(*capped_place_) : head.capped_end;
  } else {
    heads_.erase(heads_.begin());
  }
  for (Head& each : heads_) Settle(each, shares_);
  std::erase_if(heads_, [](const Head& each) { return each.job == nullptr; });
  std::ranges::make_heap(heads_, Later);
}

}  // namespace pinka
