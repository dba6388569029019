#include "scheduler/core/plan.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(UnitsOf, IsTheMostOfGpusCpusAndMemoryAndAtLeastOne) {
  TierRow tier;
  tier.unit_gpus = 1;
  tier.unit_cpus = 8;
  tier.unit_memory = 64;
  struct {
    int32_t gpus, cpus;
    int64_t memory;
    int32_t units;
  } table[] = {{0, 0, 0, 1},  {1, 0, 0, 1},   {4, 0, 0, 4},     {1, 8, 0, 1},
               {1, 9, 0, 2},  {1, 32, 0, 4},  {2, 16, 129, 3},  {1, 1, 1, 1},
               {0, 64, 0, 8}, {3, 17, 65, 3}, {0, 0, 1'000, 16}};
  for (const auto& row : table) EXPECT_EQ(UnitsOf(tier, row.gpus, row.cpus, row.memory), row.units);
  tier.unit_gpus = 0;
  tier.unit_cpus = 1;
  EXPECT_EQ(UnitsOf(tier, 0, 5, 0), 5);
  EXPECT_EQ(UnitsOf(tier, 0, INT32_MAX, INT64_MAX - 63), INT32_MAX);
}

CoreWorld Rich() {
  CoreWorld w;
  w.Deposit("lab", 100'000);
  return w;
}

TEST(Plan, FillsATierAndNoMore) {
  CoreWorld w = Rich();
  w.AddNode("box", "a100", 3);
  for (int n = 0; n < 5; ++n) w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.Running(), 3);
}

TEST(Plan, OfOneTierIsNeverHeldUpByAnother) {
  CoreWorld w = Rich();
  w.AddNode("big", "a100", 1);
  w.AddNode("small", "t4", 1);
  w.Submit("alice", w.Job("a100"));
  const JobId waits = w.Submit("alice", w.Job("a100"));
  const JobId runs = w.Submit("alice", w.Job("t4"));
  EXPECT_EQ(w.StateOf(waits), TaskState::kPending);
  EXPECT_EQ(w.StateOf(runs), TaskState::kStarting);
}

TEST(Plan, PacksSmallJobsOnTheFullestNode) {
  CoreWorld w = Rich();
  w.AddNode("a", "a100", 4);
  w.AddNode("b", "a100", 2);
  const JobId one = w.Submit("alice", w.Job("a100"));
  const JobId two = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.AttemptOf(one).node, w.Node("b"));
  EXPECT_EQ(w.AttemptOf(two).node, w.Node("b"));
  const JobId wide = w.Submit("alice", w.Job("a100", Duration::Hours(1), 4));
  EXPECT_EQ(w.AttemptOf(wide).node, w.Node("a"));
  EXPECT_EQ(w.AttemptOf(wide).gpus, (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST(Plan, DoesNotStarveAWideJobByNarrowOnes) {
  CoreWorld w = Rich();
  w.AddNode("box", "a100", 4);
  const JobId first = w.Submit("alice", w.Job("a100", Duration::Hours(1), 2));
  w.Run(first);
  const JobId wide = w.Submit("bob", w.Job("a100", Duration::Hours(1), 4));
  w.Advance(Duration::Minutes(1));
  const JobId narrow = w.Submit("bob", w.Job("a100"));
  EXPECT_EQ(w.StateOf(narrow), TaskState::kPending) << "freed space stays for the wide one";
  EXPECT_EQ(w.WhyWaits(wide), Reason::kResources);
  EXPECT_EQ(w.WhyWaits(narrow), Reason::kReservation);
  w.Exit(first, 0);
  EXPECT_EQ(w.StateOf(wide), TaskState::kStarting);
  EXPECT_EQ(w.StateOf(narrow), TaskState::kPending);
}

TEST(Plan, IsNotHeldUpByWorkThatNoReadyNodeCanTake) {
  CoreWorld w = Rich();
  w.AddNode("wide", "a100", 4);
  w.AddNode("narrow", "a100", 1);
  w.Do(ChangeNode{w.Admin(), {}, "wide", NodeVerb::kDrain, "", false});
  const JobId wide = w.Submit("alice", w.Job("a100", Duration::Hours(1), 3));
  const JobId narrow = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.WhyWaits(wide), Reason::kNoCapacity);
  EXPECT_EQ(w.StateOf(narrow), TaskState::kStarting);
  w.Do(ChangeNode{w.Admin(), {}, "wide", NodeVerb::kResume, "", false});
  EXPECT_EQ(w.StateOf(wide), TaskState::kStarting);
}

TEST(Plan, SkipsWhomALimitStopsAndTakesTheNext) {
  CoreWorld w = Rich();
  w.AddNode("box", "a100", 4);
  w.Limit(LimitResource::kRunningUnits, 2);
  std::vector<JobId> alice;
  for (int n = 0; n < 3; ++n) alice.push_back(w.Submit("alice", w.Job("a100")));
  const JobId bob = w.Submit("bob", w.Job("a100"));
  EXPECT_EQ(w.StateOf(alice[2]), TaskState::kPending);
  EXPECT_EQ(w.WhyWaits(alice[2]), Reason::kMemberMaxRunning);
  EXPECT_EQ(w.StateOf(bob), TaskState::kStarting);
}

TEST(Plan, TakesTheMembersNextJobWhereMoneyStopsTheFirst) {
  CoreWorld w;
  w.Deposit("lab", 30);
  w.AddNode("box", "a100", 4);
  const JobId first = w.Submit("alice", w.Job("a100", Duration::Hours(2)));  // holds 24.00
  const JobId dear = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  const JobId cheap = w.Submit("alice", w.Job("a100", Duration::Minutes(30)));  // 6.00
  EXPECT_EQ(w.StateOf(first), TaskState::kStarting);
  EXPECT_EQ(w.WhyWaits(dear), Reason::kBudget);
  EXPECT_EQ(w.StateOf(cheap), TaskState::kStarting);
}

TEST(Plan, GivesTheNextPlaceToWhoHasUsedLess) {
  CoreWorld w = Rich();
  w.AddNode("box", "a100", 1);
  const JobId first = w.Submit("alice", w.Job("a100"));
  w.Run(first);
  const JobId alice = w.Submit("alice", w.Job("a100"));
  w.Advance(Duration::Minutes(20));
  const JobId bob = w.Submit("bob", w.Job("a100"));
  w.Exit(first, 0);
  EXPECT_EQ(w.StateOf(bob), TaskState::kStarting);
  EXPECT_EQ(w.StateOf(alice), TaskState::kPending);
}

TEST(Plan, TakesTurnsInOnePassBecauseAStartCountsAtOnce) {
  CoreWorld w = Rich();
  for (int n = 0; n < 10; ++n) w.Submit("alice", w.Job("a100"));
  for (int n = 0; n < 10; ++n) w.Submit("bob", w.Job("a100"));
  w.AddNode("box", "a100", 10);
  int32_t of_alice = 0;
  for (const auto& [id, attempt] : w.store().tables().attempts)
    of_alice += attempt.member == w.Member("alice");
  EXPECT_EQ(w.Running(), 10);
  EXPECT_EQ(of_alice, 5);
}

TEST(Plan, LetsMembersWithoutAShareRunWhenNobodyElseCan) {
  CoreWorld w = Rich();
  LabChange change;
  change.members.push_back({"carol", 0, false});
  w.Apply(change);
  w.AddNode("box", "a100", 1);
  const JobId running = w.Submit("alice", w.Job("a100"));
  JobRequest debug = w.Job("a100");
  debug.klass = JobClass::kDebug;
  const JobId carol = w.Submit("carol", debug);
  w.Advance(Duration::Days(8));
  const JobId bob = w.Submit("bob", w.Job("a100"));
  w.Run(running);
  w.Exit(running, 0);
  EXPECT_EQ(w.StateOf(bob), TaskState::kStarting);
  EXPECT_EQ(w.StateOf(carol), TaskState::kPending);
  w.Run(bob);
  w.Exit(bob, 0);
  EXPECT_EQ(w.StateOf(carol), TaskState::kStarting);
}

TEST(Plan, OrdersByClassThenNiceThenSubmitThenId) {
  CoreWorld w = Rich();
  const auto submit = [&](JobClass klass, int32_t nice) {
    JobRequest job = w.Job("a100");
    job.klass = klass;
    job.nice = nice;
    return w.Submit("alice", job);
  };
  const JobId nice = submit(JobClass::kNormal, 10);
  const JobId first = submit(JobClass::kNormal, 0);
  const JobId second = submit(JobClass::kNormal, 0);
  const JobId scavenger = submit(JobClass::kScavenger, 0);
  const JobId debug = submit(JobClass::kDebug, 0);
  std::vector<JobId> order;
  VisitInOrder(w.state(), w.Tier("a100"), [&](const JobRow& job, uint64_t) {
    order.push_back(job.id);
    return true;
  });
  EXPECT_EQ(order, (std::vector<JobId>{debug, first, second, nice, scavenger}));
}

TEST(Plan, IsTheSameForAShuffledSnapshot) {
  CoreWorld w = Rich();
  for (int n = 0; n < 6; ++n)
    w.Submit(n % 2 ? "alice" : "bob", w.Job("a100", Duration::Hours(1), 1 + n % 3));
  Snapshot s = w.store().Load();
  std::reverse(s.jobs.begin(), s.jobs.end());
  std::reverse(s.members.begin(), s.members.end());
  std::reverse(s.lots.begin(), s.lots.end());
  const State shuffled = LoadState(s);
  const auto order = [&](const State& state) {
    std::vector<JobId> ids;
    VisitInOrder(state, w.Tier("a100"), [&](const JobRow& job, uint64_t) {
      ids.push_back(job.id);
      return true;
    });
    return ids;
  };
  EXPECT_EQ(order(shuffled), order(w.state()));
}

TEST(Plan, SaysThatATierIsDownWhereNoNodeIsReady) {
  CoreWorld w = Rich();
  const JobId job = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.WhyWaits(job), Reason::kTierDown);
}

// C15: the test counts the request itself.
TEST(Limits, CountTheRequestItselfAndWhatIsBeingStarted) {
  CoreWorld w = Rich();
  w.AddNode("box", "a100", 20);
  w.Limit(LimitResource::kRunningUnits, 10);
  for (int n = 0; n < 3; ++n) w.Submit("alice", w.Job("a100", Duration::Hours(1), 3));
  const JobId ten = w.Submit("alice", w.Job("a100", Duration::Hours(1), 10));
  EXPECT_EQ(w.StateOf(ten), TaskState::kPending);
  EXPECT_EQ(w.WhyWaits(ten), Reason::kMemberMaxRunning);
  int32_t started = 0;
  for (int n = 0; n < 12; ++n)
    started += w.StateOf(w.Submit("alice", w.Job("a100"))) == TaskState::kStarting;
  EXPECT_EQ(started, 1);
}

}  // namespace
}  // namespace pinka::test
