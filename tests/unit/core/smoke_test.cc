#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Life, AJobIsQueuedOrderedRunSettledAndForgotten) {
  CoreWorld w;
  const LotId lot = w.Deposit("lab", 100);
  w.AddNode("box", "a100", 2);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  EXPECT_EQ(w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(24));
  w.Begin(job);
  w.Run(job);
  EXPECT_EQ(w.StateOf(job), TaskState::kRunning);
  w.Advance(Duration::Minutes(45));
  w.Exit(job, 0);
  EXPECT_EQ(w.StateOf(job), TaskState::kCompleted);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(9));
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(9));
  EXPECT_EQ(w.Lot(lot).held, Money());
  w.Report("box");
  EXPECT_TRUE(w.AttemptOf(job).forgotten);
  w.Advance(Duration::Minutes(10));
  EXPECT_EQ(w.state().jobs.Find(job), nullptr);
  EXPECT_TRUE(w.state().attempts.rows().empty());
}

}  // namespace
}  // namespace pinka::test
