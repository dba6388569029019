// The table of reconcile.h, cell by cell, and the rules around it.
#include "agent/core/reconcile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>

namespace pinka {

void PrintTo(const Action& a, std::ostream* out) {
  *out << static_cast<int>(a.kind) << " " << a.lab_run << " " << ToString(a.attempt) << " "
       << a.reason << " grace " << a.grace.millis() << " by " << a.start_by.millis();
}

namespace {

using Kind = Action::Kind;
using Phase = Record::Phase;
using Want = Desired::Want;

AttemptId Id(int64_t job) { return {.job = JobId(job), .index = 0, .number = 1}; }

Desired Wanted(Want want, int64_t job = 17) {
  Desired desired;
  desired.attempt = Id(job);
  desired.want = want;
  desired.stop_reason = "Cancel";
  desired.grace = Duration::Seconds(30);
  desired.start_within = Duration::Seconds(60);
  return desired;
}

Record InPhase(Phase phase, int64_t job = 17) {
  Record record;
  record.lab_run = "run";
  record.attempt = Id(job);
  record.phase = phase;
  return record;
}

struct World {
  Answer answer{.lab_run = "run", .attempts = {}, .request_sent_at = Duration::Seconds(100)};
  std::vector<Record> records;
  Situation situation{.now = Timestamp::Seconds(1'000'000),
                      .boottime = Duration::Seconds(101),
                      .draining = false,
                      .gpu_uuids = {"GPU-a", "GPU-b"}};

  std::vector<Action> Decide() const { return Reconcile(&answer, records, situation); }
  std::vector<Kind> Kinds() const {
    std::vector<Kind> kinds;
    for (const Action& action : Decide()) kinds.push_back(action.kind);
    return kinds;
  }
};

using Kinds = std::vector<Kind>;

TEST(Reconcile, FollowsItsTable) {
  struct Row {
    Want want;
    std::optional<Phase> phase;
    Kinds actions;
  };
  const Row rows[] = {
      {Want::kRun, std::nullopt, {Kind::kLaunch}},
      {Want::kRun, Phase::kOrdered, {Kind::kLaunch}},
      {Want::kRun, Phase::kStarting, {}},
      {Want::kRun, Phase::kRunning, {}},
      {Want::kRun, Phase::kStopping, {}},
      {Want::kRun, Phase::kLost, {Kind::kBury}},
      {Want::kRun, Phase::kEnded, {}},
      {Want::kRun, Phase::kAbsent, {}},
      {Want::kStop, std::nullopt, {Kind::kRefuse}},
      {Want::kStop, Phase::kOrdered, {Kind::kRefuse}},
      {Want::kStop, Phase::kStarting, {Kind::kStop}},
      {Want::kStop, Phase::kRunning, {Kind::kStop}},
      {Want::kStop, Phase::kStopping, {Kind::kStop}},
      {Want::kStop, Phase::kLost, {Kind::kBury}},
      {Want::kStop, Phase::kEnded, {}},
      {Want::kStop, Phase::kAbsent, {}},
      {Want::kForget, std::nullopt, {}},
      {Want::kForget, Phase::kOrdered, {Kind::kRefuse}},
      {Want::kForget, Phase::kStarting, {Kind::kStop}},
      {Want::kForget, Phase::kRunning, {Kind::kStop}},
      {Want::kForget, Phase::kStopping, {Kind::kStop}},
      {Want::kForget, Phase::kLost, {Kind::kBury}},
      {Want::kForget, Phase::kEnded, {}},  // its log is not up yet
      {Want::kForget, Phase::kAbsent, {Kind::kForget}},
  };
  for (const Row& row : rows) {
    World world;
    world.answer.attempts = {Wanted(row.want)};
    if (row.phase) world.records = {InPhase(*row.phase)};
    EXPECT_EQ(world.Kinds(), row.actions) << "want " << static_cast<int>(row.want) << ", phase "
                                          << (row.phase ? static_cast<int>(*row.phase) : -1);
  }
}

TEST(Reconcile, JudgesNothingThatIsBusy) {
  for (Want want : {Want::kRun, Want::kStop, Want::kForget}) {
    for (Phase phase : {Phase::kOrdered, Phase::kRunning, Phase::kLost, Phase::kAbsent}) {
      World world;
      world.answer.attempts = {Wanted(want)};
      world.records = {InPhase(phase)};
      world.records[0].busy = true;
      EXPECT_EQ(world.Kinds(), Kinds{});
    }
  }
}

TEST(Reconcile, CountsStartWithinFromTheSendingOfTheRequest) {
  World world;
  world.answer.attempts = {Wanted(Want::kRun)};
  ASSERT_EQ(world.Decide().size(), 1u);
  EXPECT_EQ(world.Decide()[0].start_by, Duration::Seconds(160));
  world.situation.boottime = Duration::Seconds(160);
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kLaunch});
  world.situation.boottime = Duration::Seconds(160) + Duration::Micros(1);
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kRefuse});
  EXPECT_EQ(world.Decide()[0].reason, "StartWithin");
}

TEST(Reconcile, RefusesForEverWhatAnAgentThatLeavesCannotStart) {
  World world;
  world.situation.draining = true;
  world.answer.attempts = {Wanted(Want::kRun)};
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kRefuse});
}

TEST(Reconcile, RefusesAGpuThatIsNotHere) {
  World world;
  world.answer.attempts = {Wanted(Want::kRun)};
  world.answer.attempts[0].gpu_uuids = {"GPU-z"};
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kRefuse});
  EXPECT_EQ(world.Decide()[0].reason, "HardwareLost");
}

TEST(Reconcile, StopsWhatRunsOnALostCardAndNothingElse) {
  World world;
  world.answer.attempts = {Wanted(Want::kRun, 17), Wanted(Want::kRun, 18), Wanted(Want::kRun, 19)};
  world.answer.attempts[2].gpu_uuids = {"GPU-a"};
  world.records = {InPhase(Phase::kRunning, 17), InPhase(Phase::kRunning, 18)};
  world.records[0].gpu_uuids = {"GPU-a"};
  world.records[1].gpu_uuids = {"GPU-b"};
  world.situation.lost_gpus = {"GPU-a"};
  const std::vector<Action> actions = world.Decide();
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0].kind, Kind::kStop);
  EXPECT_EQ(actions[0].attempt, Id(17));
  EXPECT_EQ(actions[0].reason, "HardwareLost");
  EXPECT_EQ(actions[1].kind, Kind::kRefuse) << "and nothing new starts on it";
  EXPECT_EQ(actions[1].reason, "HardwareLost");
  world.records[0].stop_asked = "HardwareLost";
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kRefuse}) << "asked once";
}

TEST(Reconcile, StartsNothingOnWrongHardware) {
  World world;
  world.situation.hardware_wrong = true;
  world.answer.attempts = {Wanted(Want::kRun, 17), Wanted(Want::kRun, 18)};
  world.answer.attempts[0].gpu_uuids = {"GPU-a"};
  world.records = {InPhase(Phase::kRunning, 18)};
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kRefuse});
  EXPECT_EQ(world.Decide()[0].reason, "HardwareWrong");
}

// A box that is taken away in so many seconds, and one running job of a grace of 30 s.
World Reclaimed(int64_t left) {
  World world;
  world.answer.attempts = {Wanted(Want::kRun, 17)};
  world.records = {InPhase(Phase::kRunning, 17)};
  world.situation.reclaim_at = world.situation.boottime + Duration::Seconds(left);
  return world;
}

// As the shell does: writes it down.
void Carry(const Action& stop, World* world) {
  Record& record = world->records[0];
  record.stop_asked = stop.reason;
  record.stop_asked_within = stop.lead + stop.grace;
  record.stop_asked_at = world->situation.boottime;
}

TEST(Reconcile, SharesTheTimeBeforeAReclaimBetweenTheJobAndItsFiles) {
  struct Row {
    int64_t left, job_grace, lead, grace;  // seconds
  };
  const Row rows[] = {
      {120, 30, 70, 10}, {30, 30, 10, 10},         {300, 30, 230, 10}, {15, 30, 5, 5},
      {120, 4, 76, 4},   {120, 0, 80, 0},          {3, 30, 1, 1},      {0, 30, 1, 1},
      {-900, 30, 1, 1},  {86'400, 30, 86'330, 10},
  };
  for (const Row& row : rows) {
    World world = Reclaimed(row.left);
    world.records[0].grace = Duration::Seconds(row.job_grace);
    ASSERT_EQ(world.Kinds(), Kinds{Kind::kStop}) << row.left;
    const Action stop = world.Decide()[0];
    EXPECT_EQ(stop.reason, "SpotReclaim");
    EXPECT_EQ(stop.lead, Duration::Seconds(row.lead)) << row.left;
    EXPECT_EQ(stop.grace, Duration::Seconds(row.grace)) << row.left;
  }
}

TEST(Reconcile, AReclaimStopsAllThatRunsAndNothingElse) {
  for (Phase phase : {Phase::kStarting, Phase::kRunning, Phase::kStopping}) {
    World world = Reclaimed(120);
    world.records[0].phase = phase;
    EXPECT_EQ(world.Kinds(), Kinds{Kind::kStop}) << static_cast<int>(phase);
    EXPECT_EQ(Reconcile(nullptr, world.records, world.situation).size(), 1u) << "unasked";
    world.records[0].busy = true;
    EXPECT_EQ(world.Kinds(), Kinds{});
  }
  for (Phase phase : {Phase::kEnded, Phase::kAbsent}) {
    World world = Reclaimed(120);
    world.records[0].phase = phase;
    EXPECT_EQ(world.Kinds(), Kinds{});
  }
  World world = Reclaimed(120);
  world.records[0].phase = Phase::kLost;
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kBury});
  world.records.clear();
  world.answer.attempts.clear();
  EXPECT_EQ(world.Kinds(), Kinds{}) << "a box without jobs";
}

TEST(Reconcile, RefusesUnderItsOwnNameWhatAReclaimLeavesNoTimeFor) {
  World world = Reclaimed(120);
  world.situation.unfit = true;
  world.records.clear();
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kRefuse});
  EXPECT_EQ(world.Decide()[0].reason, "SpotReclaim");
  world.records = {InPhase(Phase::kOrdered, 17)};
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kRefuse}) << "once";
  EXPECT_EQ(world.Decide()[0].reason, "SpotReclaim");
  world.situation.reclaim_at.reset();
  EXPECT_EQ(world.Decide()[0].reason, "DiskFull");
}

TEST(Reconcile, AsksOnceForEachDeadlineOfAReclaim) {
  World world = Reclaimed(120);
  Carry(world.Decide()[0], &world);
  for (int second = 0; second < 200; ++second) {
    EXPECT_EQ(world.Kinds(), Kinds{}) << second;
    world.situation.boottime = world.situation.boottime + Duration::Seconds(1);
  }
}

TEST(Reconcile, ADeadlineThatMovesNearerIsPassedOnAndOneThatMovesAwayIsNot) {
  World world = Reclaimed(120);
  Carry(world.Decide()[0], &world);
  world.situation.reclaim_at = *world.situation.reclaim_at + Duration::Hours(1);
  EXPECT_EQ(world.Kinds(), Kinds{});
  world.situation.boottime = world.situation.boottime + Duration::Seconds(70);  // 10 s to KILL
  world.situation.reclaim_at = world.situation.boottime + Duration::Seconds(6);
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kStop});
  EXPECT_EQ(world.Decide()[0].lead, Duration::Seconds(2));
  EXPECT_EQ(world.Decide()[0].grace, Duration::Seconds(2));
}

TEST(Reconcile, AStopInProgressKeepsItsNameUnderAReclaim) {
  World world = Reclaimed(30);
  world.records[0].stop_asked = "Cancel";
  world.records[0].stop_asked_within = Duration::Hours(1);
  world.records[0].stop_asked_at = world.situation.boottime;
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kStop});
  EXPECT_EQ(world.Decide()[0].reason, "Cancel");
  world.records[0].stop_asked_within = Duration::Seconds(5);
  EXPECT_EQ(world.Kinds(), Kinds{}) << "it ends sooner anyway";
}

TEST(Reconcile, AReclaimAndACancelOfOneMomentAreOneStopOfTheShorterTime) {
  World world = Reclaimed(120);
  world.answer.attempts = {Wanted(Want::kStop, 17)};
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kStop});
  EXPECT_EQ(world.Decide()[0].reason, "SpotReclaim");
  EXPECT_EQ(world.Decide()[0].lead, Duration());
  EXPECT_EQ(world.Decide()[0].grace, Duration::Seconds(30));
}

TEST(Reconcile, PutsALaunchOffWhileItsGpuIsHeld) {
  World world;
  world.answer.attempts = {Wanted(Want::kRun, 18), Wanted(Want::kRun, 17)};
  world.answer.attempts[0].gpu_uuids = {"GPU-a"};
  world.records = {InPhase(Phase::kStopping, 17)};
  world.records[0].gpu_uuids = {"GPU-a", "GPU-b"};
  EXPECT_EQ(world.Kinds(), Kinds{});
  world.records[0].phase = Phase::kEnded;
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kLaunch});
}

TEST(Reconcile, DoesNotAskTwiceForTheSameStop) {
  World world;
  world.answer.attempts = {Wanted(Want::kStop)};
  world.records = {InPhase(Phase::kRunning)};
  world.records[0].stop_asked = "Cancel";
  world.records[0].stop_asked_within = Duration::Seconds(30);
  EXPECT_EQ(world.Kinds(), Kinds{});
}

TEST(Reconcile, AShorterGraceIsPassedOnUnderTheFirstReason) {
  World world;
  world.answer.attempts = {Wanted(Want::kStop)};
  world.answer.attempts[0].stop_reason = "Preempt";
  world.answer.attempts[0].grace = Duration::Seconds(5);
  world.records = {InPhase(Phase::kStopping)};
  world.records[0].stop_asked = "Cancel";
  world.records[0].stop_asked_within = Duration::Seconds(30);
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kStop});
  EXPECT_EQ(world.Decide()[0].reason, "Cancel");
  EXPECT_EQ(world.Decide()[0].grace, Duration::Seconds(5));
}

TEST(Reconcile, ForgetsAnEndOnlyOnceItsLogIsUp) {
  World world;
  world.answer.attempts = {Wanted(Want::kForget)};
  world.records = {InPhase(Phase::kEnded)};
  EXPECT_EQ(world.Kinds(), Kinds{});
  world.records[0].log_done = true;
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kForget});
  world.records[0].files_done = false;
  EXPECT_EQ(world.Kinds(), Kinds{});
}

TEST(Reconcile, StopsWhatNobodyClaimsAndForgetsItAfterItsLog) {
  World world;
  world.records = {InPhase(Phase::kRunning)};
  ASSERT_EQ(world.Kinds(), Kinds{Kind::kStop});
  EXPECT_EQ(world.Decide()[0].reason, "Withdrawn");
  world.records[0].phase = Phase::kEnded;
  world.records[0].ended_at = world.situation.now;
  EXPECT_EQ(world.Kinds(), Kinds{});
  world.situation.now = world.situation.now + Duration::Days(1);
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kForget});
}

TEST(Reconcile, EndsAndForgetsTheRecordsOfAnotherLabRun) {
  World world;
  world.answer.lab_run = "restored";
  world.answer.attempts = {Wanted(Want::kRun, 17)};
  world.records = {InPhase(Phase::kRunning, 17), InPhase(Phase::kEnded, 18)};
  // The same id in another run is another attempt: it is launched beside the old one's end.
  std::vector<Action> actions = world.Decide();
  ASSERT_EQ(actions.size(), 3u);
  EXPECT_EQ(actions[0].kind, Kind::kStop);
  EXPECT_EQ(actions[0].lab_run, "run");
  EXPECT_EQ(actions[1].kind, Kind::kForget);
  EXPECT_EQ(actions[2].kind, Kind::kLaunch);
  EXPECT_EQ(actions[2].lab_run, "restored");
}

TEST(Reconcile, BuriesTheLostBeforeAnyAnswer) {
  World world;
  world.records = {InPhase(Phase::kLost), InPhase(Phase::kRunning, 18)};
  std::vector<Action> actions = Reconcile(nullptr, world.records, world.situation);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::kBury);
}

TEST(Reconcile, TakesTheFirstOfTwoLinesForOneAttempt) {
  World world;
  world.answer.attempts = {Wanted(Want::kStop), Wanted(Want::kRun)};
  EXPECT_EQ(world.Kinds(), Kinds{Kind::kRefuse});
}

TEST(Reconcile, DoesNotDependOnTheOrderOfItsInput) {
  World world;
  world.answer.attempts = {Wanted(Want::kRun, 19), Wanted(Want::kStop, 17), Wanted(Want::kRun, 18)};
  world.records = {InPhase(Phase::kRunning, 17), InPhase(Phase::kLost, 20)};
  World shuffled = world;
  std::reverse(shuffled.answer.attempts.begin(), shuffled.answer.attempts.end());
  std::reverse(shuffled.records.begin(), shuffled.records.end());
  EXPECT_EQ(world.Decide(), shuffled.Decide());
  EXPECT_EQ(world.Kinds(), (Kinds{Kind::kStop, Kind::kBury, Kind::kLaunch, Kind::kLaunch}));
}

}  // namespace
}  // namespace pinka
