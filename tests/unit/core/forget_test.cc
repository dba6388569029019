#include "scheduler/core/forget.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Forget, DropsAJobTenMinutesAfterItsEnd) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Exit(job, 0);
  w.Advance(kKeepEnded - Duration::Seconds(1));
  EXPECT_NE(w.state().jobs.Find(job), nullptr);
  w.Advance(Duration::Seconds(2));
  EXPECT_EQ(w.state().jobs.Find(job), nullptr);
  EXPECT_EQ(w.StateOf(job), TaskState::kCompleted) << "the store keeps it";
}

// Its end is written by the first batch after it, and memory is then as after a restart.
TEST(Forget, AJobThatATimerEndedLongBeforeTheNextCommand) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 1);
  w.Run(w.Submit("alice", w.Job("a100", Duration::Hours(20))));
  JobRequest request = w.Job("a100", Duration::Hours(2));
  request.deadline = w.now + Duration::Hours(5);
  const JobId job = w.Submit("alice", request);
  w.Advance(Duration::Hours(6));
  EXPECT_EQ(w.StateOf(job), TaskState::kDeadline);
  EXPECT_EQ(w.JobOf(job).ended_at, request.deadline - Duration::Hours(2) + Duration::Micros(1));
  EXPECT_EQ(w.state().jobs.Find(job), nullptr);
}

}  // namespace
}  // namespace pinka::test
