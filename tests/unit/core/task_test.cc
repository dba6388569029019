// task.cc: arrays as ranges, throttles, and the state of a job from its tasks.
#include "scheduler/core/task.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  Lab() {
    w.Deposit("lab", 10'000);
    w.AddNode("box", "a100", 4);
  }
  JobId Array(const std::string& spec, const std::string& tier = "a100") {
    JobRequest request = w.Job(tier);
    request.array = spec;
    return w.Submit("alice", request);
  }
  CoreWorld w;
};

TEST(Array, IsOneRowAndATaskGetsItsOwnAtItsFirstAttempt) {
  Lab lab;
  const JobId job = lab.Array("0-9");
  EXPECT_EQ(lab.w.JobOf(job).pending.ToString(), "4-9");
  EXPECT_EQ(lab.w.store().tables().tasks.size(), 4u);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kRunning);
  lab.w.Run(job, 1);
  lab.w.Exit(job, 0, 1);
  EXPECT_EQ(lab.w.JobOf(job).pending.ToString(), "5-9");
  EXPECT_EQ(lab.w.StateOf(job, 4), TaskState::kStarting);
}

TEST(Array, NumbersItsTasksByIndexNotOrdinal) {
  Lab lab;
  const JobId job = lab.Array("3,10-20:5");
  for (int32_t index : {3, 10, 15, 20}) EXPECT_EQ(lab.w.StateOf(job, index), TaskState::kStarting);
  const JobRow& row = lab.w.state().jobs.Get(job);
  EXPECT_EQ(IndexAt(lab.w.state(), row, 2), 15);
  EXPECT_EQ(OrdinalOf(lab.w.state(), row, 20), 3);
  EXPECT_FALSE(OrdinalOf(lab.w.state(), row, 4));
}

TEST(Throttle, HoldsAnArrayToItsMaxAndNobodyElse) {
  Lab lab;
  const JobId job = lab.Array("0-9%2");
  EXPECT_EQ(lab.w.Running(), 2);
  EXPECT_EQ(lab.w.WhyWaits(job), Reason::kArrayTaskLimit);
  lab.Array("0-9");
  EXPECT_EQ(lab.w.Running(), 4);
  lab.w.Run(job, 0);
  lab.w.Exit(job, 0, 0);
  EXPECT_EQ(lab.w.StateOf(job, 2), TaskState::kStarting);
}

TEST(Array, RunsAgainFirstWhatWaitsAgain) {
  Lab lab;
  JobRequest request = lab.w.Job("a100", Duration::Hours(1), 4);
  request.array = "0-3";
  request.retries = 1;
  const JobId job = lab.w.Submit("alice", request);
  lab.w.Run(job, 0);
  lab.w.Exit(job, 1, 0);
  EXPECT_EQ(lab.w.StateOf(job, 0), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(job, 1), TaskState::kPending);
}

TEST(Array, OfAMillionTasksIsOneRow) {
  Lab lab;
  lab.w.audit = false;
  const JobId job = lab.Array("0-999999", "t4");
  EXPECT_EQ(lab.w.JobOf(job).pending.ToString(), "0-999999");
  EXPECT_EQ(lab.w.store().tables().tasks.size(), 0u);
  lab.w.Change("alice", JobVerb::kCancel, job);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kCancelled);
}

// The table of semantics.md 6: the state of a job of three tasks.
TEST(JobState, IsComputedFromItsTasksByOneTable) {
  using S = TaskState;
  struct {
    std::vector<const char*> ends;  // of tasks 0, 1, 2: exit code, "run", "hold", "cancel", "wait"
    S state;
  } table[] = {
      {{"0", "0", "0"}, S::kCompleted},
      {{"0", "1", "0"}, S::kFailed},
      {{"0", "cancel", "1"}, S::kCancelled},
      {{"1", "cancel", "0"}, S::kFailed},
      {{"0", "run", "wait"}, S::kRunning},
      {{"0", "wait", "hold"}, S::kPending},
      {{"0", "hold", "0"}, S::kHeld},
      {{"run", "hold", "hold"}, S::kRunning},
      {{"cancel", "cancel", "cancel"}, S::kCancelled},
  };
  for (const auto& row : table) {
    Lab lab;
    JobRequest request = lab.w.Job("a100", Duration::Hours(1), 4);
    const JobId blocker = lab.w.Submit("bob", request);  // the box is full
    request.array = "0-2";
    const JobId job = lab.w.Submit("alice", request);
    for (int32_t i = 0; i < 3; ++i) {
      const std::string end = row.ends[static_cast<size_t>(i)];
      const std::string index = std::to_string(i);
      if (end == "hold" || end == "wait") lab.w.Change("alice", JobVerb::kHold, job, index);
      if (end == "cancel") lab.w.Change("alice", JobVerb::kCancel, job, index);
    }
    lab.w.Run(blocker);
    lab.w.Exit(blocker, 0);
    for (int32_t i = 0; i < 3; ++i) {
      const std::string end = row.ends[static_cast<size_t>(i)];
      if (end != "0" && end != "1") continue;
      // One at a time fits; a task that is to stay on the box comes last.
      if (lab.w.StateOf(job, i) != S::kStarting) continue;
      lab.w.Run(job, i);
      lab.w.Exit(job, std::stoi(end), i);
    }
    for (int32_t i = 0; i < 3; ++i) {
      if (row.ends[static_cast<size_t>(i)] != std::string("wait")) continue;
      lab.w.Do(ChangeNode{lab.w.Admin(), {}, "box", NodeVerb::kDrain, "", false});
      lab.w.Change("alice", JobVerb::kRelease, job, std::to_string(i));
    }
    EXPECT_EQ(lab.w.StateOf(job), row.state) << row.ends[0] << row.ends[1] << row.ends[2];
  }
}

TEST(JobState, OfOneTaskIsItsTasks) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  lab.w.Do(NodeSilent{lab.w.Node("box"), {}});
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kUnknown);
}

}  // namespace
}  // namespace pinka::test
