#include "scheduler/core/tier_queue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/task.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Standing, IsATotalOrder) {
  SeededRandom random(7);
  std::vector<Standing> all;
  for (int64_t n = 0; n < 60; ++n) {
    Standing s;
    s.has_share = random.Below(2) == 0;
    s.exact = static_cast<int64_t>(random.Below(3)) - 1;
    s.submitted_at = Timestamp::Seconds(static_cast<int64_t>(random.Below(3)));
    s.job = JobId(n);
    all.push_back(s);
  }
  for (const Standing& a : all) {
    EXPECT_FALSE(a < a);
    for (const Standing& b : all) {
      if (a.job != b.job) {
        EXPECT_NE(a < b, b < a) << "one of two goes first";
      }
      for (const Standing& c : all) {
        if (a < b && b < c) {
          EXPECT_TRUE(a < c);
        }
      }
    }
  }
}

// Two members with jobs of several classes, some at the age cap.
CoreWorld Waiting() {
  CoreWorld w;
  w.Deposit("lab", 100'000);
  const auto submit = [&](const char* member, JobClass klass) {
    JobRequest job = w.Job("a100");
    job.klass = klass;
    w.Submit(member, job);
  };
  for (JobClass klass : {JobClass::kScavenger, JobClass::kNormal, JobClass::kDebug}) {
    submit("alice", klass);
    w.Advance(Duration::Days(3));
    submit("bob", klass);
    submit("alice", klass);
  }
  return w;
}

TEST(TierQueue, SeesEveryJobOnceInTheOrderOfAFullSort) {
  const CoreWorld w = Waiting();
  const State& state = w.state();
  const auto shares = FairShares(state);
  std::vector<Standing> sorted;
  for (const auto& [id, job] : state.jobs.rows()) sorted.push_back(StandingOf(state, job, shares));
  std::ranges::sort(sorted, [](const Standing& a, const Standing& b) { return a < b; });
  std::vector<JobId> expected, walked;
  for (const Standing& s : sorted) expected.push_back(s.job);
  for (TierQueue queue(state, w.Tier("a100")); !queue.empty(); queue.Next())
    walked.push_back(queue.top().id);
  EXPECT_EQ(walked, expected);
  EXPECT_EQ(walked.size(), 9u);
}

TEST(TierQueue, LeavesAMemberOut) {
  const CoreWorld w = Waiting();
  TierQueue queue(w.state(), w.Tier("a100"));
  const MemberId first = queue.top().member;
  for (queue.NextMember(); !queue.empty(); queue.Next()) EXPECT_NE(queue.top().member, first);
}

TEST(Policy, WithoutItsPartsIsFirstInFirstOut) {
  const CoreWorld w = Waiting();
  State state = w.state();
  state.policy = {false, false, false, false, true, true};
  RequeueTier(state, w.Tier("a100"));
  std::vector<JobId> walked;
  for (TierQueue queue(state, w.Tier("a100")); !queue.empty(); queue.Next())
    walked.push_back(queue.top().id);
  EXPECT_TRUE(std::ranges::is_sorted(walked));
  const JobRow& job = state.jobs.Get(walked.front());
  EXPECT_EQ(PriorityOf(state, job, uint64_t{1} << 62).total, 0);
}

TEST(Policy, LeavesOutOnePart) {
  const CoreWorld w = Waiting();
  const JobRow& job = w.state().jobs.rows().begin()->second;
  const uint64_t fair = uint64_t{1} << 61;
  const Priority all = PriorityOf(w.state(), job, fair);
  State state = w.state();
  state.policy.age = false;
  const Priority no_age = PriorityOf(state, job, fair);
  EXPECT_EQ(no_age.age, 0);
  EXPECT_EQ(no_age.total, all.total - all.age);
  EXPECT_GT(all.age, 0);
  state.policy = {};
  state.policy.fair_share = false;
  EXPECT_EQ(PriorityOf(state, job, fair).total, all.total - 5'000);
}

}  // namespace
}  // namespace pinka::test
