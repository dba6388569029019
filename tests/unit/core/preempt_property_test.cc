// What preemption does over time, in random labs: nobody is pushed out in turn, and what one gave
// way to goes to whom it was freed for.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "scheduler/core/plan.h"
#include "scheduler/core/preempt.h"
#include "tests/support/random_lab.h"

namespace pinka::test {
namespace {

constexpr uint64_t kLabs = 4;  // of one seed

// For whom a task gave way: nothing where it did not.
JobId MadeWayFor(const AttemptRow& attempt) {
  const std::string_view says = "preempted for job ";
  if (!attempt.message.starts_with(says)) return {};
  return JobId(std::stoll(attempt.message.substr(says.size())));
}

// Whom each job gave way to, directly or not, must never give way to it: no ping-pong, no ring.
bool AnyRing(const std::map<JobId, std::set<JobId>>& gave_way_to) {
  for (const auto& [start, firsts] : gave_way_to) {
    std::set<JobId> reached = firsts;
    for (std::vector<JobId> open(firsts.begin(), firsts.end()); !open.empty();) {
      const JobId job = open.back();
      open.pop_back();
      if (job == start) return true;
      const auto next = gave_way_to.find(job);
      if (next == gave_way_to.end()) continue;
      for (JobId other : next->second) {
        if (reached.insert(other).second) open.push_back(other);
      }
    }
  }
  return false;
}

// Whether the job is promised room on a node that work from before its preemption is still on: the
// lab's work overstays its limits, so that room that was counted on is there later than that.
bool WaitsForOlderWork(const RandomLab& lab, JobId job) {
  const State& state = lab.w.state();
  const TierPass pass(state, lab.tier, TierPass::Depth::kPromises);
  const auto own = std::ranges::find(pass.freed(), job, &TierPass::Promised::job);
  if (own == pass.freed().end()) return false;
  return std::ranges::any_of(state.attempts.rows(), [&](const auto& entry) {
    const AttemptRow& attempt = entry.second;
    return attempt.node == own->slot.node && attempt.state != AttemptState::kEnded &&
           attempt.ordered_at < state.jobs.Get(job).freed_at;
  });
}

class PreemptProperty : public testing::TestWithParam<uint64_t> {};

TEST_P(PreemptProperty, NobodyGivesWayInTurnAndFreedRoomIsKeptForItsJob) {
  size_t gave_way = 0;
  for (uint64_t seed = 3'000 + GetParam(); seed < 3'000 + kLabs * 100; seed += 100) {
    RandomLab lab(seed, seed >= 3'200);
    std::map<JobId, std::set<JobId>> gave_way_to;
    std::map<AttemptId, JobId> going;  // to whom
    for (int n = 0; n < 40; ++n) {
      lab.Step();
      going.clear();
      for (const auto& [id, attempt] : lab.w.state().attempts.rows()) {
        const JobId to = MadeWayFor(attempt);
        if (!to) continue;
        gave_way_to[id.job].insert(to);
        if (attempt.state != AttemptState::kEnded) going[id] = to;
      }
      for (JobId job : lab.w.state().freed) {
        const bool still =
            std::ranges::any_of(going, [&](const auto& e) { return e.second == job; });
        EXPECT_TRUE(still || WaitsForOlderWork(lab, job))
            << "job " << job.value() << " has not started though all have gone that gave way to it";
      }
    }
    EXPECT_FALSE(AnyRing(gave_way_to)) << "seed " << seed;
    for (const auto& [job, others] : gave_way_to) gave_way += others.size();
  }
  EXPECT_GT(gave_way, 3u) << "the test is about something";
}

INSTANTIATE_TEST_SUITE_P(Seeds, PreemptProperty, testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace pinka::test
