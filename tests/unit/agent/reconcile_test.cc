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
