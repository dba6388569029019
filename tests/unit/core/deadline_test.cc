#include "scheduler/core/deadline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/core/board.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

using testing::HasSubstr;

// A spot machine and one on demand, of one unit each, at 4.00 and 12.00.
struct Lab {
  Lab() {
    w.Deposit("lab", 100'000);
    LabChange change;
    LabChange::Tier& tier = change.tiers.emplace_back();
    tier.row = w.state().tiers.Get(w.Tier("a100"));
    for (const auto& [source, yuan] : {std::pair(Source::kOnDemand, 12), {Source::kSpot, 4}}) {
      RateRow& rate = tier.rates.emplace_back();
      rate.source = source;
      rate.rate = Rate::MicrosPerUnitHour(yuan * 1'000'000);
    }
    w.Apply(change);
    w.AddNode("spot", "a100", 1, Source::kSpot);
    w.AddNode("sure", "a100", 1, Source::kOnDemand);
  }
  JobRequest Job(int64_t limit_h, Duration deadline) const {
    JobRequest request = w.Job("a100", Duration::Hours(limit_h));
    request.deadline = w.now + deadline;
    return request;
  }
  // The provider takes the machine, or gives it back.
  void Spot(bool up) {
    AgentReport& report = w.Agent("spot").report;
    report.draining = !up;
    if (up) ++report.incarnation;
    w.Report("spot");
  }
  void Reclaim(JobId job) {
    w.Agent("spot").report.draining = true;
    w.End(job, EndReason::kSpotReclaim);
  }
  // Its agent tells of a checkpoint now.
  void Save(JobId job) {
    const AttemptId id = w.Attempt(job);
    ObservedAttempt* seen = w.AgentOf(id).Find(id);
    seen->metered_ms = (w.now - w.AttemptOf(job).started_at).millis();
    seen->checkpoint_ms = seen->metered_ms;
    w.Report(w.state().nodes.Get(w.AttemptOf(job).node).name);
  }
  bool Moves(JobId job) const {
    return w.AttemptOf(job).stop_reason == StopReason::kPreempt &&
           w.AttemptOf(job).state != AttemptState::kEnded;
  }
  Source SourceOf(JobId job) const { return w.AttemptOf(job).source; }
  CoreWorld w;
};

TEST(Deadline, TakesSpotWhileTheSlackIsWorthAChange) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(10) + kChange));
  lab.w.Run(job);
  EXPECT_EQ(lab.SourceOf(job), Source::kSpot);
}

TEST(Deadline, TakesOnDemandWhereAReclaimWouldMakeItLate) {
  Lab lab;
  const Duration little = kChange - Duration::Seconds(1);
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(10) + little));
  lab.w.Run(job);
  EXPECT_EQ(lab.SourceOf(job), Source::kOnDemand) << "the spot machine is free";
}

// Ten hours of slack of twenty: four hours, six changes, are kept.
TEST(Deadline, WaitsForSpotUntilTheReserveAndNotAMomentLonger) {
  Lab lab;
  lab.Spot(false);
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(20)));
  const Explanation why = Explain(lab.w.state(), job);
  EXPECT_EQ(why.reason, Reason::kResources);
  EXPECT_THAT(why.text, HasSubstr("It waits for a spot node, and takes on_demand from 2026-"));
  EXPECT_EQ(why.expected_by, lab.w.now + Duration::Hours(6));
  lab.w.AdvanceTo(lab.w.now + Duration::Hours(6) - Duration::Micros(1));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  lab.w.Advance(Duration::Micros(1));
  ASSERT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.SourceOf(job), Source::kOnDemand);
}

// Two hours of slack are less than six changes: uniform progress says how much is to be left.
TEST(Deadline, KeepsNoMoreInReserveThanUniformProgressWould) {
  Lab lab;
  lab.Spot(false);
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(12)));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting) << "any idle moment falls behind";
  EXPECT_EQ(lab.SourceOf(job), Source::kOnDemand);
}

TEST(Deadline, PromisesTheOnDemandRoomFromWhenItWouldBeTaken) {
  Lab lab;
  lab.Spot(false);
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(20)));
  JobRequest other = lab.w.Job("a100", Duration::Hours(8));
  other.source = Wish::kOnDemand;
  const JobId longer = lab.w.Submit("alice", other);
  EXPECT_EQ(lab.w.WhyWaits(longer), Reason::kReservation);
  other.time_limit = Duration::Hours(5);
  const JobId fits = lab.w.Submit("alice", other);
  EXPECT_EQ(lab.w.StateOf(fits), TaskState::kStarting) << "it ends before";
  lab.w.Run(fits);
  lab.w.Advance(Duration::Hours(5));
  lab.w.End(fits, EndReason::kTimeLimit);
  lab.w.Advance(Duration::Hours(1));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
}

TEST(Deadline, CountsWhatItsCheckpointsHaveSaved) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(15)));
  lab.w.Run(job);
  lab.w.Advance(Duration::Hours(8));
  lab.Save(job);
  lab.w.Advance(Duration::Minutes(20));
  lab.Reclaim(job);
  EXPECT_EQ(WorkLeft(lab.w.state(), lab.w.JobOf(job), 0), Duration::Hours(2) + kRestart);
  lab.w.Advance(Duration::Hours(1));
  ASSERT_NE(lab.w.StateOf(job), TaskState::kDeadline)
      << "its whole limit would end after the deadline, what is left of it does not";
  lab.w.Reload();
  lab.w.Advance(Duration::Hours(3));
  ASSERT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.SourceOf(job), Source::kOnDemand);
}

TEST(Deadline, EndsAWaitingTaskWhenWhatIsLeftCanNotBeDoneAnyMore) {
  Lab lab;
  lab.w.Agent("sure").report.draining = true;
  lab.w.Report("sure");
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(15)));
  lab.w.Run(job);
  lab.w.Advance(Duration::Hours(8));
  lab.Save(job);
  lab.Reclaim(job);
  const Timestamp last = lab.w.JobOf(job).deadline - Duration::Hours(2) - kRestart;
  lab.w.AdvanceTo(last);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  lab.w.Advance(Duration::Micros(1));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kDeadline);
}

TEST(Deadline, MovesToSpotRightAfterACheckpoint) {
  Lab lab;
  lab.Spot(false);
  const JobId job = lab.w.Submit("alice", lab.Job(10, Duration::Hours(12)));
  lab.w.Run(job);
  lab.w.Advance(Duration::Minutes(20));
  lab.Spot(true);
  lab.w.Advance(Duration::Minutes(9));
  EXPECT_FALSE(lab.Moves(job)) << "29 minutes of work would be lost";
  lab.w.Advance(Duration::Minutes(1));
  lab.Save(job);
  ASSERT_TRUE(lab.Moves(job));
  EXPECT_EQ(lab.w.AttemptOf(job).message, "moves to spot: 1h55m to spare before the deadline");
  const JobId other = lab.w.Submit("bob", lab.w.Job("a100", Duration::Hours(1)));
  EXPECT_EQ(lab.w.StateOf(other), TaskState::kPending) << "the spot machine is promised";
  lab.w.Reload();
  lab.w.End(job, EndReason::kPreempted);
  ASSERT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.SourceOf(job), Source::kSpot);
  EXPECT_EQ(lab.w.JobOf(job).freed_at, Timestamp());
}

TEST(Deadline, StaysWhereTheRestIsNotWorthARestart) {
  Lab lab;
  lab.Spot(false);
  const JobId job = lab.w.Submit("alice", lab.Job(1, Duration::Hours(2)));
  ASSERT_EQ(lab.SourceOf(job), Source::kOnDemand);
  lab.w.Run(job);
  lab.Spot(true);
  lab.w.Advance(Duration::Minutes(58));
  lab.Save(job);
  EXPECT_FALSE(lab.Moves(job)) << "two minutes are left";
}

TEST(Deadline, LeavesSpotWhereNoCheckpointComesAndTheSlackRunsOut) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.Job(4, Duration::Hours(6)));
  lab.w.Run(job);
  ASSERT_EQ(lab.SourceOf(job), Source::kSpot);
  lab.w.AdvanceTo(lab.w.now + Duration::Hours(2) - kRestart - Duration::Micros(1));
  EXPECT_FALSE(lab.Moves(job));
  lab.w.Advance(Duration::Micros(1));
  ASSERT_TRUE(lab.Moves(job));
  EXPECT_THAT(lab.w.AttemptOf(job).message, HasSubstr("moves to on_demand: 5m to spare"));
  lab.w.End(job, EndReason::kPreempted);
  ASSERT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.SourceOf(job), Source::kOnDemand);
}

TEST(Deadline, LeavesAloneWhoNamesASource) {
  Lab lab;
  JobRequest request = lab.Job(10, Duration::Hours(10));
  request.source = Wish::kSpot;
  const JobId job = lab.w.Submit("alice", request);
  lab.w.Run(job);
  EXPECT_EQ(lab.SourceOf(job), Source::kSpot);
}

// A reclaim would end it: absolute no-requeue is no work for spot unless its member says so.
TEST(Deadline, SpotIsNotForWorkThatMayNotRunAgain) {
  Lab lab;
  JobRequest request = lab.w.Job("a100", Duration::Hours(1));
  request.no_requeue = true;
  const JobId any = lab.w.Submit("alice", request);
  EXPECT_EQ(lab.SourceOf(any), Source::kOnDemand);
  request.source = Wish::kSpot;
  const JobId named = lab.w.Submit("alice", request);
  EXPECT_EQ(lab.SourceOf(named), Source::kSpot);
}

}  // namespace
}  // namespace pinka::test
