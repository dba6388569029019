// change_jobs.cc: cancel, hold, release, requeue in every state; C21.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  Lab() {
    w.Deposit("lab", 10'000);
    w.AddNode("box", "a100", 2);
  }
  JobId Pending() {
    JobRequest r = w.Job("t4");  // no node: it waits
    return w.Submit("alice", r);
  }
  JobId Array(const std::string& spec = "0-9", const std::string& tier = "t4") {
    JobRequest r = w.Job(tier);
    r.array = spec;
    return w.Submit("alice", r);
  }
  Reply::PerSlice Say(const std::string& who, JobVerb verb, JobId job, const std::string& is = "") {
    return w.Change(who, verb, job, is).slices.at(0);
  }
  CoreWorld w;
};

TEST(Cancel, OfAWaitingJobEndsItAtOnce) {
  Lab lab;
  const JobId job = lab.Pending();
  EXPECT_EQ(lab.Say("alice", JobVerb::kCancel, job).tasks, 1);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kCancelled);
  const auto again = lab.Say("alice", JobVerb::kCancel, job);
  EXPECT_EQ(again.reason, Reason::kOk);
  EXPECT_EQ(again.note, "already finished");
}

TEST(Cancel, OfAnOrderThatNoNodeHasTakenEndsWhenTheNodeSaysSo) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.Say("alice", JobVerb::kCancel, job);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStopping) << "until the node says that it is not there";
  EXPECT_EQ(lab.w.Agent("box").orders.orders.at(0).attempt.want, Want::kStop);
  ObservedAttempt absent;
  absent.id = lab.w.Attempt(job);
  absent.state = ObservedAttempt::State::kAbsent;
  lab.w.Agent("box").report.attempts.push_back(absent);
  lab.w.Report("box");
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kCancelled);
  EXPECT_EQ(lab.w.HoldOf(job).state, HoldState::kVoided);
}

TEST(Cancel, OfRunningWorkIsOverWhenTheNodeSaysSo) {
  for (const char* who : {"alice", "admin"}) {
    Lab lab;
    const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
    lab.w.Run(job);
    lab.w.Advance(Duration::Minutes(5));
    EXPECT_EQ(lab.Say(who, JobVerb::kCancel, job).tasks, 1);
    EXPECT_EQ(lab.Say(who, JobVerb::kCancel, job).tasks, 1) << "two cancels at once";
    EXPECT_EQ(lab.w.StateOf(job), TaskState::kStopping);
    lab.w.End(job, EndReason::kCancelledByUser);
    EXPECT_EQ(lab.w.StateOf(job), TaskState::kCancelled);
    EXPECT_EQ(lab.w.AttemptOf(job).end_reason, who == std::string("alice")
                                                   ? EndReason::kCancelledByUser
                                                   : EndReason::kCancelledByAdmin);
    EXPECT_EQ(lab.w.HoldOf(job).posted, Money::Whole(1)) << "charge equals measured time";
  }
}

TEST(Cancel, ThatLosesToTheEndChangesNothing) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Run(job);
  lab.Say("alice", JobVerb::kCancel, job);
  lab.w.Exit(job, 0);  // it had ended first
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kCompleted);
  EXPECT_EQ(lab.Say("alice", JobVerb::kCancel, job).note, "already finished");
}

TEST(Cancel, OfUnknownWorkWaitsForTheTruth) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Run(job);
  lab.w.Do(NodeSilent{lab.w.Node("box"), {}});
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kUnknown);
  lab.Say("alice", JobVerb::kCancel, job);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kUnknown);
  lab.w.Report("box");
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStopping);
}

TEST(Cancel, OverridesARequeueThatIsUnderWay) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Run(job);
  lab.Say("alice", JobVerb::kRequeue, job);
  lab.Say("alice", JobVerb::kCancel, job);
  lab.w.End(job, EndReason::kCancelledByUser);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kCancelled);
}

TEST(Requeue, StopsAndRunsAgain) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_EQ(lab.Say("alice", JobVerb::kRequeue, lab.Pending()).note, "nothing of it runs");
  lab.w.Run(job);
  lab.Say("alice", JobVerb::kRequeue, job);
  lab.w.End(job, EndReason::kCancelledByUser);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.w.Attempt(job).number, 2);
  lab.w.Run(job);
  lab.w.Exit(job, 0);
  EXPECT_EQ(lab.Say("alice", JobVerb::kRequeue, job).reason, Reason::kAlreadyFinished);
}

TEST(HoldAndRelease, MoveWhatWaits) {
  Lab lab;
  const JobId job = lab.Pending();
  EXPECT_EQ(lab.Say("alice", JobVerb::kHold, job).tasks, 1);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kHeld);
  EXPECT_EQ(lab.w.JobOf(job).hold_reason, Reason::kHeldByUser);
  EXPECT_EQ(lab.Say("alice", JobVerb::kHold, job).note, "nothing of it waits");
  EXPECT_EQ(lab.Say("alice", JobVerb::kRelease, job).tasks, 1);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  EXPECT_EQ(lab.Say("alice", JobVerb::kRelease, job).note, "nothing of it is held");
}

TEST(AdminsHold, IsNotLiftedByItsOwnerByAnyWay) {
  Lab lab;
  const JobId job = lab.Array();
  lab.Say("admin", JobVerb::kHold, job, "0-4");
  EXPECT_EQ(lab.Say("alice", JobVerb::kRelease, job).reason, Reason::kNotPermitted);
  lab.Say("alice", JobVerb::kHold, job, "5");  // does not make it her own
  EXPECT_EQ(lab.Say("alice", JobVerb::kRelease, job).reason, Reason::kNotPermitted);
  EXPECT_EQ(lab.w.StateOf(job, 0), TaskState::kHeld);
  EXPECT_EQ(lab.Say("admin", JobVerb::kRelease, job).tasks, 6);
}

TEST(Slices, ChangeTheNamedIndicesOnly) {
  Lab lab;
  const JobId job = lab.Array("0-20:4");
  EXPECT_EQ(lab.Say("alice", JobVerb::kCancel, job, "1").reason, Reason::kNoSuchTask);
  EXPECT_EQ(lab.Say("alice", JobVerb::kCancel, job, "4,12").tasks, 2);
  EXPECT_EQ(lab.w.StateOf(job, 4), TaskState::kCancelled);
  EXPECT_EQ(lab.w.StateOf(job, 8), TaskState::kPending);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  EXPECT_EQ(lab.Say("alice", JobVerb::kCancel, job).tasks, 4);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kCancelled);
}

TEST(Strangers, HearThatThereIsNoSuchJob) {
  Lab lab;
  const JobId job = lab.Pending();
  const auto said = lab.Say("bob", JobVerb::kCancel, job);
  EXPECT_EQ(said.reason, Reason::kNoSuchJob);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
}

TEST(EndedJobs, AreAskedForOnceAndAnsweredFromWhatIsAttached) {
  Lab lab;
  const JobId gone(77);
  ChangeJobs command;
  command.actor = lab.w.By("alice");
  command.slices.push_back({gone, {}});
  EXPECT_EQ(lab.w.Do(command).need, (std::vector<JobId>{gone}));
  command.ended.emplace_back();
  command.ended[0].id = gone;
  command.ended[0].member = lab.w.Member("alice");
  EXPECT_EQ(lab.w.Do(command).slices.at(0).note, "already finished");
  command.verb = JobVerb::kRequeue;
  EXPECT_EQ(lab.w.Do(command).slices.at(0).reason, Reason::kAlreadyFinished);
  command.ended[0].member = lab.w.Member("bob");
  EXPECT_EQ(lab.w.Do(command).slices.at(0).reason, Reason::kNoSuchJob);
  command.ended[0].member = {};
  EXPECT_EQ(lab.w.Do(command).slices.at(0).reason, Reason::kNoSuchJob);
}

}  // namespace
}  // namespace pinka::test
