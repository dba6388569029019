#include "scheduler/core/preempt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/core/attempt.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

// Four units, full with scavenger work of bob's.
struct Lab {
  explicit Lab(int units = 4) {
    w.Deposit("lab", 100'000);
    w.AddNode("box", "a100", units);
  }
  JobId Scavenge(const char* member, int gpus, bool no_requeue = false) {
    JobRequest request = w.Job("a100", Duration::Hours(20), gpus);
    request.klass = JobClass::kScavenger;
    request.no_requeue = no_requeue;
    const JobId job = w.Submit(member, request);
    w.Run(job);
    return job;
  }
  bool Stopping(JobId job) const {
    return w.AttemptOf(job).stop_reason == StopReason::kPreempt &&
           w.AttemptOf(job).state != AttemptState::kEnded;
  }
  // The agents do as told.
  void EndStopped() {
    std::vector<AttemptId> stopped;
    for (const auto& [id, attempt] : w.state().attempts.rows()) {
      if (attempt.state == AttemptState::kStopping) stopped.push_back(id);
    }
    for (const AttemptId& id : stopped) w.End(id.job, EndReason::kPreempted, id.index);
  }
  std::optional<Preemption> Next(const State& state) const {
    return NextPreemption(state, w.Tier("a100"));
  }
  CoreWorld w;
};

TEST(Preempt, StopsScavengerWorkForNormalWorkOnceItHasRunItsMinimum) {
  Lab lab;
  const JobId victim = lab.Scavenge("bob", 4);
  lab.w.Advance(Duration::Minutes(5));
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 2));
  EXPECT_FALSE(lab.Stopping(victim)) << "it has run for 5 of 10 minutes";
  lab.w.Advance(Duration::Minutes(5));
  EXPECT_TRUE(lab.Stopping(victim));
  EXPECT_EQ(lab.w.AttemptOf(victim).message, "preempted for job " + std::to_string(job.value()));
  const auto& events = lab.w.store().tables().events;
  EXPECT_TRUE(std::ranges::any_of(events, [&](const EventRow& event) {
    return event.what == "stop" &&
           event.detail == "preempted for job " + std::to_string(job.value());
  }));
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(victim), TaskState::kPending);
  EXPECT_EQ(lab.w.AttemptOf(victim).end_reason, EndReason::kPreempted);
}

TEST(Preempt, EndsForGoodWhatMayNotBeRequeued) {
  Lab lab;
  const JobId victim = lab.Scavenge("bob", 4, true);
  lab.w.Advance(Duration::Minutes(10));
  lab.w.Submit("alice", lab.w.Job("a100"));
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(victim), TaskState::kPreempted);
}

TEST(Preempt, NeverStopsNormalWorkNorForScavengers) {
  Lab lab;
  const JobId runs = lab.w.Submit("bob", lab.w.Job("a100", Duration::Hours(20), 2));
  lab.w.Run(runs);
  const JobId scavenger = lab.Scavenge("bob", 2);
  lab.w.Advance(Duration::Hours(2));
  JobRequest request = lab.w.Job("a100");
  request.klass = JobClass::kScavenger;
  lab.w.Submit("alice", request);
  EXPECT_FALSE(lab.Stopping(scavenger)) << "for a scavenger";
  const JobId wide = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 4));
  EXPECT_FALSE(lab.Stopping(runs));
  EXPECT_FALSE(lab.Stopping(scavenger)) << "it would not be enough for " << wide.value();
}

TEST(Preempt, StopsTheFewestOnOneNode) {
  Lab lab;
  lab.w.AddNode("other", "a100", 4);
  std::vector<JobId> ones;
  for (int n = 0; n < 4; ++n) ones.push_back(lab.Scavenge("bob", 1));
  const JobId three = lab.Scavenge("bob", 3);
  const JobId one = lab.Scavenge("bob", 1);
  EXPECT_EQ(lab.w.AttemptOf(three).node, lab.w.AttemptOf(one).node);
  lab.w.Advance(Duration::Minutes(10));
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 3));
  EXPECT_TRUE(lab.Stopping(three));
  for (JobId each : ones) EXPECT_FALSE(lab.Stopping(each));
  EXPECT_FALSE(lab.Stopping(one)) << "given back: three units are enough";
  lab.w.Advance(Duration::Seconds(10));
  EXPECT_FALSE(lab.Stopping(one)) << "nobody else is stopped for one that waits for freed room";
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
}

TEST(Preempt, KeepsTheFreedRoomForWhomItWasFreed) {
  Lab lab;
  const JobId two = lab.Scavenge("bob", 2), other = lab.Scavenge("bob", 2);
  lab.w.Advance(Duration::Minutes(10));
  const JobId wide = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 4));
  ASSERT_TRUE(lab.Stopping(two) && lab.Stopping(other));
  lab.w.End(two, EndReason::kPreempted);
  const JobId narrow = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 2));
  EXPECT_EQ(lab.w.StateOf(narrow), TaskState::kPending);
  EXPECT_EQ(lab.w.StateOf(two), TaskState::kPending);
  lab.w.End(other, EndReason::kPreempted);
  EXPECT_EQ(lab.w.StateOf(wide), TaskState::kStarting);
}

// Freed space stays promised to whom it was freed for, also against whoever comes later and stands
// better, until it starts or goes away.
TEST(Preempt, PromisesFreedRoomBeforeWhoeverComesLater) {
  Lab lab;
  const JobId victim = lab.Scavenge("bob", 4);
  lab.w.Advance(Duration::Minutes(10));
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 4));
  ASSERT_TRUE(lab.Stopping(victim));
  EXPECT_EQ(lab.w.JobOf(job).freed_at, lab.w.now);
  JobRequest better = lab.w.Job("a100", Duration::Hours(1), 4);
  better.klass = JobClass::kDebug;
  const JobId late = lab.w.Submit("carol", better);
  EXPECT_EQ(lab.w.WhyWaits(late), Reason::kResources) << "it is first in line, and not for this";
  lab.w.Reload();
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(late), TaskState::kPending);
  EXPECT_EQ(lab.w.JobOf(job).freed_at, Timestamp()) << "it has started";
}

TEST(Preempt, GivesFreedRoomToTheNextWhereItsJobGoesAway) {
  Lab lab;
  lab.Scavenge("bob", 4);
  lab.w.Advance(Duration::Minutes(10));
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 4));
  JobRequest better = lab.w.Job("a100", Duration::Hours(1), 4);
  better.klass = JobClass::kDebug;
  const JobId late = lab.w.Submit("carol", better);
  lab.w.Change("alice", JobVerb::kCancel, job);
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(late), TaskState::kStarting);
}

TEST(Preempt, HoldsNoRoomForAJobThatIsHeld) {
  Lab lab;
  lab.Scavenge("bob", 4);
  lab.w.Advance(Duration::Minutes(10));
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 4));
  lab.w.Change("alice", JobVerb::kHold, job);
  const JobId late = lab.w.Submit("carol", lab.w.Job("a100", Duration::Hours(1), 4));
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(late), TaskState::kStarting);
}

TEST(Preempt, IsForWhoStandsBeforeTheVictimOnly) {
  Lab lab;
  const JobId victim = lab.Scavenge("bob", 4);
  lab.w.Advance(Duration::Minutes(5));
  JobRequest request = lab.w.Job("a100");
  request.nice = 9'900;  // all but what the fair share brings
  lab.w.Submit("alice", request);
  lab.w.Advance(Duration::Hours(1));
  EXPECT_FALSE(lab.Stopping(victim));
  lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_TRUE(lab.Stopping(victim));
}

TEST(Preempt, StopsNobodyForRoomThatSomebodyBeforeTheJobWouldTake) {
  Lab lab(1);
  const JobId victim = lab.Scavenge("bob", 1);
  lab.w.Advance(Duration::Minutes(10));
  JobRequest request = lab.w.Job("a100");
  request.klass = JobClass::kScavenger;
  const JobId ahead = lab.w.Submit("carol", request);
  request = lab.w.Job("a100");
  request.nice = 3'000;
  lab.w.Submit("alice", request);
  EXPECT_FALSE(lab.Stopping(victim));
  lab.w.Change("carol", JobVerb::kCancel, ahead);
  EXPECT_TRUE(lab.Stopping(victim));
}

TEST(Preempt, SparesWhatWasPreemptedInTheLastHour) {
  Lab lab;
  const JobId victim = lab.Scavenge("bob", 4);
  lab.w.Advance(Duration::Minutes(10));
  const JobId first = lab.w.Submit("alice", lab.w.Job("a100", Duration::Minutes(10), 4));
  lab.EndStopped();
  lab.w.Run(first);
  lab.w.Advance(Duration::Minutes(5));
  lab.w.Exit(first, 0);
  ASSERT_EQ(lab.w.StateOf(victim), TaskState::kStarting);
  lab.w.Run(victim);
  lab.w.Advance(Duration::Minutes(30));
  lab.w.Submit("alice", lab.w.Job("a100", Duration::Minutes(10), 4));
  EXPECT_FALSE(lab.Stopping(victim)) << "35 minutes after the last time";
  lab.w.Advance(Duration::Minutes(25));
  EXPECT_TRUE(lab.Stopping(victim));
}

TEST(Preempt, SparesWhatHasNotRunForThePaidBlock) {
  Lab lab;
  const JobId victim = lab.Scavenge("bob", 4);
  lab.w.Advance(Duration::Minutes(9));
  lab.w.Submit("alice", lab.w.Job("a100"));
  State state = lab.w.state();
  state.now = state.now + Duration::Minutes(30);
  EXPECT_TRUE(lab.Next(state));
  RentalRow rental;
  rental.id = RentalId(1);
  rental.rule.block = Duration::Hours(1);
  state.rentals.Put(rental.id, rental);
  state.open_rentals[lab.w.AttemptOf(victim).node] = rental.id;
  EXPECT_FALSE(lab.Next(state));
  state.now = state.now + Duration::Minutes(21);
  EXPECT_TRUE(lab.Next(state));
}

TEST(Preempt, TakesSpotWorkOfAnyClassAndCanBeLeftOut) {
  Lab lab;
  const JobId runs = lab.w.Submit("bob", lab.w.Job("a100", Duration::Hours(20), 4));
  lab.w.Run(runs);
  lab.w.Advance(Duration::Minutes(20));
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  State state = lab.w.state();
  EXPECT_FALSE(lab.Next(state));
  state.attempts.Edit(lab.w.Attempt(runs)).source = Source::kSpot;
  state.interruptible[lab.w.Tier("a100")].insert(lab.w.Attempt(runs));
  const auto preemption = lab.Next(state);
  ASSERT_TRUE(preemption);
  EXPECT_EQ(preemption->job, job);
  EXPECT_EQ(preemption->victims, (std::vector<AttemptId>{lab.w.Attempt(runs)}));
  state.policy.preemption = false;
  EXPECT_FALSE(lab.Next(state));
}

TEST(Preempt, GainsTimeOrIsNotDone) {
  Lab lab;
  const JobId victim = lab.Scavenge("bob", 2);
  const JobId short_one = lab.w.Submit("bob", lab.w.Job("a100", Duration::Minutes(30), 2));
  lab.w.Run(short_one);
  // It has its grace left, as a victim would.
  lab.w.AdvanceTo(lab.w.AttemptOf(short_one).started_at + Duration::Minutes(30));
  lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(1), 2));
  EXPECT_FALSE(lab.Stopping(victim));
}

// Borrowed hours go back to their owner: 40 hours, half of them alice's, lent to bob.
struct Lent : Lab {
  Lent() : Lab(4) {
    BuyPackage buy = w.Package("a100", 40, Money::Whole(400), {{"alice", 1}, {"bob", 1}});
    buy.borrow = BorrowRule::kFree;
    package = w.Buy(buy);
    JobRequest request = w.Job("a100", Duration::Hours(9), 4);  // 36: 20 own, 16 of alice's
    request.source = Wish::kPackage;
    borrower = w.Submit("bob", request);
    w.Run(borrower);
  }
  PackageId package;
  JobId borrower;
};

TEST(Preempt, GivesBorrowedHoursBackToTheirOwner) {
  Lent lab;
  ASSERT_EQ(lab.w.AttemptOf(lab.borrower).source, Source::kPackage);
  lab.w.Advance(Duration::Minutes(20));
  JobRequest request = lab.w.Job("a100", Duration::Hours(10));  // more than the 4 that are left
  request.source = Wish::kPackage;
  const JobId carol = lab.w.Submit("carol", lab.w.Job("a100", Duration::Hours(2)));
  EXPECT_FALSE(lab.Stopping(lab.borrower)) << "not for who lent nothing";
  lab.w.Change("carol", JobVerb::kCancel, carol);
  const JobId owner = lab.w.Submit("alice", request);
  EXPECT_TRUE(lab.Stopping(lab.borrower));
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(owner), TaskState::kStarting);
  EXPECT_EQ(lab.w.AttemptOf(owner).source, Source::kPackage);
  EXPECT_EQ(lab.w.StateOf(lab.borrower), TaskState::kPending);
}

TEST(Preempt, GivesTheOwnerOfLentHoursTheRoomAsWell) {
  Lent lab;
  lab.w.Advance(Duration::Minutes(20));
  JobRequest request = lab.w.Job("a100", Duration::Hours(2), 2);  // 4 hours: alice still has them
  request.source = Wish::kPackage;
  const JobId owner = lab.w.Submit("alice", request);
  EXPECT_TRUE(lab.Stopping(lab.borrower));
  lab.EndStopped();
  EXPECT_EQ(lab.w.StateOf(owner), TaskState::kStarting);
}

}  // namespace
}  // namespace pinka::test
