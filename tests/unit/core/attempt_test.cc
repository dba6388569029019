// What a task becomes after each end of an attempt: retries, restarts, holds.
#include "scheduler/core/attempt.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct One {
  explicit One(std::function<void(JobRequest&)> with = [](JobRequest&) {}) {
    w.Deposit("lab", 10'000);
    w.AddNode("box", "a100", 1);
    JobRequest request = w.Job("a100");
    with(request);
    job = w.Submit("alice", request);
  }
  void RunAndExit(int code) {
    w.Run(job);
    w.Advance(Duration::Minutes(1));
    w.Exit(job, code);
    w.Report("box");
  }
  void RunAndEnd(EndReason reason) {
    w.Run(job);
    w.Advance(Duration::Minutes(1));
    w.End(job, reason);
    w.Report("box");
  }
  const TaskRow& Task() const { return w.store().tables().tasks.at({job, 0}); }

  CoreWorld w;
  JobId job;
};

TEST(Attempt, ThatExitsWellCompletesItsTask) {
  One one;
  one.RunAndExit(0);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kCompleted);
  EXPECT_TRUE(one.Task().exited);
}

TEST(Attempt, ThatExitsBadlyFailsOrIsRetriedAsOftenAsAsked) {
  One one([](JobRequest& r) { r.retries = 2; });
  for (int n = 0; n < 2; ++n) {
    one.RunAndExit(3);
    EXPECT_EQ(one.w.StateOf(one.job), TaskState::kStarting);
  }
  one.RunAndExit(3);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kFailed);
  EXPECT_EQ(one.Task().exit_code, 3);
  EXPECT_EQ(one.Task().attempts, 3);
}

TEST(Attempt, WithAListedExitIsRequeuedWithoutUsingRetriesAtMostFiftyTimes) {
  One one([](JobRequest& r) { r.requeue_exit = {75, 85}; });
  for (int n = 1; n < 50; ++n) one.RunAndExit(75);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kStarting);
  EXPECT_EQ(one.Task().retries_used, 0);
  one.RunAndExit(75);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kFailed);
}

TEST(Attempt, ThatAsksToRunAgainDoesSoAtMostFiftyTimesWhateverElseHappened) {
  One one([](JobRequest& r) { r.retries = 3; });
  for (int n = 0; n < 3; ++n) one.RunAndExit(1);
  for (int n = 0; n < 50; ++n) one.RunAndEnd(EndReason::kRunAgain);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kStarting);
  EXPECT_EQ(one.Task().run_agains, 50);
  one.RunAndEnd(EndReason::kRunAgain);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kFailed);
}

TEST(Attempt, OfNoRequeueEndsForGoodWhateverHappened) {
  One one([](JobRequest& r) {
    r.no_requeue = true;
    r.retries = 3;
    r.requeue_exit = {1};
  });
  one.RunAndExit(1);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kFailed);
}

TEST(Attempt, LostToMachinesIsRestartedTwentyTimesAndThenHeld) {
  One one;
  for (int n = 0; n < 20; ++n) one.RunAndEnd(EndReason::kSupervisorLost);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kStarting);
  one.RunAndEnd(EndReason::kSupervisorLost);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kHeld);
  EXPECT_EQ(one.Task().hold_reason, Reason::kInfraHoldMaxRequeue);
  one.w.Change("alice", JobVerb::kRelease, one.job);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kStarting);
}

TEST(Attempt, OfARemovedMemberDoesNotComeBack) {
  One one;
  one.w.Run(one.job);
  one.w.Do(RemoveMember{one.w.Admin(), {}, "alice"});
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kRunning);
  one.w.End(one.job, EndReason::kSupervisorLost);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kCancelled);
}

TEST(Attempt, ThatStartsAnewSaysNothingOfTheExitBefore) {
  One one([](JobRequest& r) { r.retries = 1; });
  one.RunAndExit(3);
  EXPECT_FALSE(one.Task().exited);
  EXPECT_EQ(one.Task().exit_code, 0);
  EXPECT_EQ(one.w.store().tables().attempts.at({one.job, 0, 1}).exit_code, 3);
}

TEST(Attempt, DoesNotGoBackFromRunningToStarting) {
  One one;
  one.w.Run(one.job);
  one.w.Agent("box").Find(one.w.Attempt(one.job))->state = ObservedAttempt::State::kStarting;
  one.w.Report("box");
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kRunning);
}

TEST(Attempt, WhoseExitIsNotKnownHasNoCode) {
  One one;
  one.w.Run(one.job);
  one.w.Agent("box").Find(one.w.Attempt(one.job))->exit_code = 9;
  one.w.End(one.job, EndReason::kTimeLimit);
  EXPECT_EQ(one.w.AttemptOf(one.job).exit_code, 0);
  EXPECT_EQ(one.w.StateOf(one.job), TaskState::kTimeout);
}

}  // namespace
}  // namespace pinka::test
