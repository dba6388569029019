// Files that are whole in the blob store: who may say so, and what a checkpoint does to the meter.
#include <gtest/gtest.h>

#include "scheduler/core/attempt.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Running {
  Running() {
    w.Deposit("lab", 100);
    w.AddNode("box", "a100", 1);
    job = w.Submit("alice", w.Job("a100"));
    w.Run(job);
    w.Advance(Duration::Minutes(30));
  }
  KeepFiles Keep(int64_t generation, int64_t checkpoint_ms) const {
    KeepFiles command;
    command.node = "box";
    command.files.attempt = w.Attempt(job);
    command.files.kind = FileKind::kCheckpoint;
    command.files.generation = generation;
    command.files.root = std::string(64, 'a');
    command.files.bytes = 100;
    command.metered_ms = Duration::Minutes(30).millis();
    command.checkpoint_ms = checkpoint_ms;
    return command;
  }
  CoreWorld w;
  JobId job;
};

TEST(KeepFiles, OfACheckpointMovesWhatTheMemberPaysFor) {
  Running lab;
  EXPECT_EQ(lab.w.Do(lab.Keep(7, 1'200'000)).reason, Reason::kOk);
  EXPECT_EQ(lab.w.AttemptOf(lab.job).checkpoint_ms, 1'200'000);
  EXPECT_EQ(lab.w.AttemptOf(lab.job).metered_ms, 1'800'000);
  ASSERT_EQ(lab.w.store().tables().file_sets.size(), 1u);
  EXPECT_EQ(lab.w.store().tables().file_sets.begin()->second.kept_at, lab.w.now);
  lab.w.End(lab.job, EndReason::kSpotReclaim);
  lab.w.Report("box");
  // 12.00 an hour: twenty minutes are the member's, ten the lab's.
  EXPECT_EQ(lab.w.JobOf(lab.job).charged, Money::Whole(4));
}

TEST(KeepFiles, OfAnOutputLeavesTheMeterAlone) {
  Running lab;
  KeepFiles output = lab.Keep(0, 0);
  output.files.kind = FileKind::kOutput;
  EXPECT_EQ(lab.w.Do(output).reason, Reason::kOk);
  EXPECT_EQ(lab.w.AttemptOf(lab.job).checkpoint_ms, 0);
}

TEST(KeepFiles, IsForTheNodeOfTheAttempt) {
  Running lab;
  KeepFiles foreign = lab.Keep(1, 1);
  foreign.node = "other";
  EXPECT_EQ(lab.w.Do(foreign).reason, Reason::kNoSuchJob);
  KeepFiles unknown = lab.Keep(1, 1);
  unknown.files.attempt.number = 9;
  EXPECT_EQ(lab.w.Do(unknown).reason, Reason::kNoSuchJob);
  EXPECT_TRUE(lab.w.store().tables().file_sets.empty());
}

TEST(KeepFiles, OfAnEndedAttemptIsRecordedAndChangesNoMoney) {
  Running lab;
  lab.w.End(lab.job, EndReason::kSpotReclaim);
  KeepFiles late = lab.Keep(3, 600'000);
  lab.w.Do(late);
  EXPECT_EQ(lab.w.AttemptOf(lab.job).checkpoint_ms, 0);
}

TEST(KeepFiles, ThatGoBackAreFlagged) {
  Running lab;
  KeepFiles anew = lab.Keep(3, 1'000);
  anew.given = 900;
  lab.w.Do(anew);
  EXPECT_EQ(lab.w.AttemptOf(lab.job).message,
            "its checkpoint 3 is behind 900, which it was given: did it begin anew?");
}

TEST(KeepFiles, SaidTwiceIsOneRow) {
  Running lab;
  lab.w.Do(lab.Keep(7, 1'000));
  lab.w.Do(lab.Keep(7, 1'000));
  EXPECT_EQ(lab.w.store().tables().file_sets.size(), 1u);
}

}  // namespace
}  // namespace pinka::test
