#include "scheduler/core/timeline.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

const Timestamp kNow = Timestamp::Seconds(1'000'000);
Timestamp In(int64_t minutes) { return kNow + Duration::Minutes(minutes); }
Wanted For(int32_t units, int64_t minutes) {
  return {units, units, Duration::Minutes(minutes), Source::kOnDemand};
}

// Four units: one free now, two more in 60 minutes, the last in 120.
NodeTimeline Steps() {
  NodeTimeline t(kNow, 1, 1);
  t.Change(In(120), 1, 1);
  t.Change(In(60), 2, 2);
  return t;
}

TEST(NodeTimeline, FindsTheEarliestRoomThatLasts) {
  struct {
    int32_t units;
    int64_t minutes, at;
  } table[] = {{1, 10, 0}, {1, 10'000, 0}, {2, 5, 60}, {3, 5, 60}, {4, 5, 120}};
  for (const auto& row : table)
    EXPECT_EQ(Steps().EarliestFit(For(row.units, row.minutes)), In(row.at)) << row.units;
  EXPECT_EQ(Steps().EarliestFit(For(5, 1)), Timestamp::Never());
}

TEST(NodeTimeline, LetsWorkInThatEndsBeforeAPromiseNeedsTheRoom) {
  NodeTimeline t = Steps();
  t.Take(In(60), In(180), 3, 3);  // all there is at 60; one more comes at 120
  EXPECT_EQ(t.EarliestFit(For(1, 60)), kNow) << "ends as the promise begins";
  EXPECT_EQ(t.EarliestFit(For(1, 61)), In(120)) << "would hold it up";
  EXPECT_EQ(t.EarliestFit(For(2, 5)), In(180));
  EXPECT_EQ(t.FreeNow(1, 1), Duration::Minutes(60));
  EXPECT_EQ(t.FreeNow(2, 2), Duration());
}

TEST(NodeTimeline, CountsCardsBesideUnits) {
  NodeTimeline t(kNow, 4, 1);
  t.Change(In(30), 0, 1);
  EXPECT_EQ(t.EarliestFit({4, 1, Duration::Hours(1), Source::kOnDemand}), kNow);
  EXPECT_EQ(t.EarliestFit({1, 2, Duration::Hours(1), Source::kOnDemand}), In(30));
}

TEST(NodeTimeline, TakesWhatEndsAndBeginsAtOnceTogether) {
  NodeTimeline t(kNow, 0, 0);
  t.Change(In(10), 2, 2);
  t.Take(In(10), In(20), 2, 2);
  EXPECT_EQ(t.EarliestFit(For(1, 1)), In(20));
}

struct Lab {
  Lab() {
    w.Deposit("lab", 100'000);
    w.AddNode("a", "a100", 4);
    w.AddNode("b", "a100", 2);
  }
  JobId Runs(int64_t hours, int gpus) {
    const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(hours), gpus));
    w.Run(job);
    return job;
  }
  TierRoom Room() const { return TierRoom(w.state(), w.Tier("a100")); }
  static Wanted Hours(int32_t units, int64_t hours) {
    return {units, units, Duration::Hours(hours), Source::kOnDemand};
  }
  CoreWorld w;
};

TEST(TierRoom, IsOnlyWhereTheDriverServesTheCudaThatIsNeeded) {
  Lab lab;
  lab.w.Agent("a").report.facts.cuda = 11'000;
  lab.w.Report("a");
  lab.w.Agent("b").report.facts.cuda = 12'040;
  lab.w.Report("b");
  Wanted wanted = Lab::Hours(1, 1);
  const auto fits = [&](int32_t cuda) {
    wanted.need_cuda = cuda;
    return lab.Room().FitNow(wanted);
  };
  EXPECT_EQ(fits(11'000), lab.w.Node("b")) << "the smaller node";
  EXPECT_EQ(fits(12'040), lab.w.Node("b"));
  EXPECT_EQ(fits(12'050), std::nullopt);
  EXPECT_EQ(lab.Room().Earliest(wanted), std::nullopt);
  EXPECT_FALSE(lab.Room().FitsEmpty(wanted));
  EXPECT_EQ(NoCuda(lab.w.state(), lab.w.Tier("a100"), 12'050),
            "needs CUDA 12.5; a offers 11.0, b offers 12.4");
  EXPECT_EQ(NoCuda(lab.w.state(), lab.w.Tier("a100"), 12'040), "");

  JobRequest request = lab.w.Job("a100", Duration::Hours(1), 3);
  request.need_cuda = 12'040;
  const JobId wide = lab.w.Submit("alice", request);
  EXPECT_EQ(lab.w.WhyWaits(wide), Reason::kNoCapacity) << "b has two units, a too old a driver";
  lab.w.Agent("a").report.facts.cuda = 12'080;  // a new driver
  lab.w.Report("a");
  EXPECT_EQ(lab.w.StateOf(wide), TaskState::kStarting);
}

TEST(TierRoom, PacksOnTheNodeWithTheLeastRoomThatSuffices) {
  Lab lab;
  lab.Runs(2, 1);  // goes to b
  EXPECT_EQ(lab.Room().widest(), 4);
  EXPECT_EQ(lab.Room().FitNow(Lab::Hours(1, 1)), lab.w.Node("b"));
  EXPECT_EQ(lab.Room().FitNow(Lab::Hours(2, 1)), lab.w.Node("a"));
  EXPECT_FALSE(lab.Room().FitNow(Lab::Hours(5, 1)));
  EXPECT_FALSE(lab.Room().FitsEmpty(Lab::Hours(5, 1)));
}

TEST(TierRoom, PromisesTheEarliestSlotByTheLimitsOfWhatRuns) {
  Lab lab;
  const AttemptRow& three = lab.w.AttemptOf(lab.Runs(3, 4));
  const AttemptRow& two = lab.w.AttemptOf(lab.Runs(2, 2));
  TierRoom room = lab.Room();
  const auto wide = room.Earliest(Lab::Hours(4, 1));
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->node, lab.w.Node("a"));
  EXPECT_EQ(wide->at, three.started_at + Duration::Hours(3) + three.grace);
  room.Promise(*wide, Lab::Hours(4, 1));
  const auto narrow = room.Earliest(Lab::Hours(1, 1));
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->node, lab.w.Node("b"));
  EXPECT_EQ(narrow->at, two.started_at + Duration::Hours(2) + two.grace);
}

TEST(TierRoom, TellsHowLongWorkMayBeThatStartsBeforeAPromise) {
  Lab lab;
  lab.Runs(1, 2);  // b
  const JobId holder = lab.Runs(3, 3);
  TierRoom room = lab.Room();
  const auto slot = room.Earliest(Lab::Hours(4, 1));
  ASSERT_TRUE(slot);
  EXPECT_EQ(room.LongestNow(Lab::Hours(1, 1)), Timestamp::Never() - lab.w.state().now);
  room.Promise(*slot, Lab::Hours(4, 1));
  const AttemptRow& attempt = lab.w.AttemptOf(holder);
  EXPECT_EQ(room.LongestNow(Lab::Hours(1, 1)), Duration::Hours(3) + attempt.grace);
  EXPECT_TRUE(room.FitNow(Lab::Hours(1, 3)));
  EXPECT_FALSE(room.FitNow(Lab::Hours(1, 4)));
  EXPECT_TRUE(room.FreeNow(Lab::Hours(1, 4))) << "free, and promised";
}

TEST(EndByLimit, OfWhatIsBeingStoppedIsItsGrace) {
  Lab lab;
  const JobId job = lab.Runs(3, 1);
  const AttemptRow before = lab.w.AttemptOf(job);
  EXPECT_EQ(EndByLimit(lab.w.state(), before),
            before.started_at + Duration::Hours(3) + before.grace);
  EXPECT_EQ(EndIfStopped(lab.w.state(), before), lab.w.state().now + before.grace);
  lab.w.Change("alice", JobVerb::kCancel, job);
  EXPECT_EQ(EndByLimit(lab.w.state(), lab.w.AttemptOf(job)), lab.w.state().now + before.grace);
  lab.w.Advance(Duration::Days(1));
  EXPECT_GT(EndByLimit(lab.w.state(), before), lab.w.state().now) << "may end at any moment";
}

}  // namespace
}  // namespace pinka::test
