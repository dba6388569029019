// edit_job.cc: edit --time enlarges the hold first or is refused.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  Lab() {
    w.Deposit("lab", 40);
    w.AddNode("box", "a100", 1);
    job = w.Submit("alice", w.Job("a100"));
  }
  Reply SetTime(const std::string& who, Duration time) {
    EditJob command;
    command.actor = w.By(who);
    command.job = job;
    command.set_time = true;
    command.time_limit = time;
    return w.Do(command);
  }
  CoreWorld w;
  JobId job;
};

TEST(EditTime, OfRunningWorkEnlargesItsHoldFirst) {
  Lab lab;
  lab.w.Run(lab.job);
  EXPECT_EQ(lab.SetTime("admin", Duration::Hours(3)).reason, Reason::kOk);
  EXPECT_EQ(lab.w.HoldOf(lab.job).amount, Money::Whole(36));
  EXPECT_EQ(lab.w.AttemptOf(lab.job).time_limit, Duration::Hours(3));
  EXPECT_EQ(lab.w.Agent("box").orders.orders.at(0).attempt.time_limit, Duration::Hours(3));
  lab.w.Advance(Duration::Hours(2));
  lab.w.Exit(lab.job, 0);
  EXPECT_EQ(lab.w.HoldOf(lab.job).posted, Money::Whole(24));
}

TEST(EditTime, IsRefusedWhereMoneyLimitTierOrRightsForbid) {
  Lab lab;
  lab.w.Run(lab.job);
  struct {
    const char* who;
    Duration time;
    Reason reason;
  } table[] = {
      {"alice", Duration::Hours(2), Reason::kNotPermitted},
      {"admin", Duration::Days(8), Reason::kTimeLimitAboveTier},
      {"admin", Duration::Hours(4), Reason::kBudget},
      {"admin", Duration(), Reason::kBadRequest},
      {"bob", Duration::Minutes(1), Reason::kNoSuchJob},
  };
  for (const auto& row : table) EXPECT_EQ(lab.SetTime(row.who, row.time).reason, row.reason);
  lab.w.Limit(LimitResource::kUnitHours, 2 * 3'600'000, "alice");
  EXPECT_EQ(lab.SetTime("admin", Duration::Hours(3)).reason, Reason::kBudget);
  EXPECT_EQ(lab.w.HoldOf(lab.job).amount, Money::Whole(12)) << "a refusal changes nothing";
}

TEST(EditTime, CannotEndBeforeWhatHasRun) {
  Lab lab;
  lab.w.Run(lab.job);
  lab.w.Advance(Duration::Minutes(30));
  lab.w.Do(StoreMeters{{{lab.w.Attempt(lab.job), 30 * 60'000, 0}}});
  EXPECT_EQ(lab.SetTime("alice", Duration::Minutes(20)).reason, Reason::kBadRequest);
  EXPECT_EQ(lab.SetTime("alice", Duration::Minutes(40)).reason, Reason::kOk);
}

TEST(EditTime, ThatIsShorterGivesBackTheHoldsLastLinesFirst) {
  CoreWorld w;
  const LotId soon = w.Deposit("alice", Money::Whole(20), w.now + Duration::Days(2));
  const LotId late = w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(3)));  // 36.00: 20 + 16
  w.Run(job);
  EditJob command;
  command.actor = w.By("alice");
  command.job = job;
  command.set_time = true;
  struct {
    Duration time;
    int64_t of_soon, of_late;
  } table[] = {{Duration::Hours(2), 20, 4}, {Duration::Hours(1), 12, 0}};
  for (const auto& row : table) {
    w.Advance(Duration::Minutes(1));
    command.time_limit = row.time;
    ASSERT_EQ(w.Do(command).reason, Reason::kOk);
    EXPECT_EQ(w.Lot(soon).held, Money::Whole(row.of_soon));
    EXPECT_EQ(w.Lot(late).held, Money::Whole(row.of_late));
    EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(row.of_soon + row.of_late));
    w.Reload();
  }
  Money cut;
  for (const auto& [key, row] : w.store().tables().hold_cuts) cut += row.amount;
  EXPECT_EQ(cut, Money::Whole(24));
  w.Advance(Duration::Minutes(28));
  w.Exit(job, 0);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(6));
}

TEST(EditTime, OfWaitingWorkIsItsOwners) {
  Lab lab;
  const JobId waits = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.job = waits;
  EXPECT_EQ(lab.SetTime("alice", Duration::Hours(3)).reason, Reason::kOk);
  EXPECT_EQ(lab.w.JobOf(waits).time_limit, Duration::Hours(3));
}

// The dependency is judged in parents_test.cc and waits_test.cc.
TEST(EditTier, MovesWhatWaitsAsIfItHadBeenSubmittedThere) {
  CoreWorld w;
  w.Deposit("lab", 100);
  w.Limit(LimitResource::kQueuedTasks, 3, "alice");
  JobRequest request = w.Job("t4");
  request.gpus = 0;
  request.array = "0-2";
  const JobId job = w.Submit("alice", request);
  ASSERT_EQ(w.JobOf(job).cpus, 4);
  EditJob command;
  command.actor = w.By("alice");
  command.job = job;
  command.tier = w.Tier("a100");
  ASSERT_EQ(w.Do(command).reason, Reason::kOk) << "its own three tasks are not counted twice";
  EXPECT_EQ(w.JobOf(job).tier, w.Tier("a100"));
  EXPECT_EQ(w.JobOf(job).gpus, 1);
  EXPECT_EQ(w.JobOf(job).cpus, 8) << "the other tier's share";
  EXPECT_TRUE(w.state().queues.at(w.Tier("a100")).contains({w.Member("alice"), {}}));
  EXPECT_FALSE(w.state().queues.at(w.Tier("t4")).contains({w.Member("alice"), {}}));
  w.Reload();
  command.tier = w.Tier("cpu");
  EXPECT_EQ(w.Do(command).reason, Reason::kOk);
  EXPECT_EQ(w.JobOf(job).gpus, 0);
  EXPECT_EQ(w.JobOf(job).units, 1);
}

TEST(EditTier, IsRefusedAsASubmitWouldBeAndWhileItRuns) {
  CoreWorld w;
  w.Deposit("lab", 11);
  w.AddNode("box", "t4", 1);
  const JobId job = w.Submit("alice", w.Job("t4"));
  const JobId waits = w.Submit("alice", w.Job("t4"));
  EditJob command;
  command.actor = w.By("alice");
  command.job = waits;
  command.tier = w.Tier("a100");
  EXPECT_EQ(w.Do(command).reason, Reason::kBudget);
  command.tier = TierId(99);
  EXPECT_EQ(w.Do(command).reason, Reason::kNoSuchTier);
  w.Limit(LimitResource::kQueuedTasks, 0, "alice", LimitOf::kEach, Period::kNone, "cpu");
  command.tier = w.Tier("cpu");
  EXPECT_NE(w.Do(command).reason, Reason::kOk);
  EXPECT_EQ(w.JobOf(waits).tier, w.Tier("t4"));
  command.job = job;
  EXPECT_EQ(w.Do(command).reason, Reason::kNotWaiting);
}

TEST(EditText, WritesTheWholeRowOnceABatch) {
  Lab lab;
  Core core(lab.w.store().Load());
  EditJob command;
  command.actor = lab.w.By("alice");
  command.job = lab.job;
  command.set_text = true;
  command.text.name = "first";
  core.Apply(command, lab.w.now);
  command.text.name = "second";
  core.Apply(command, lab.w.now);
  const Changes changes = core.TakeChanges();
  ASSERT_EQ(changes.job_texts.size(), 1u);
  EXPECT_EQ(changes.job_texts[0].name, "second");
  EXPECT_EQ(changes.job_texts[0].job, lab.job);
}

TEST(Edit, OfEndedWorkSaysSo) {
  Lab lab;
  lab.w.Run(lab.job);
  lab.w.Exit(lab.job, 0);
  EXPECT_EQ(lab.SetTime("alice", Duration::Hours(1)).reason, Reason::kAlreadyFinished);
  lab.job = JobId(99);
  EXPECT_EQ(lab.SetTime("alice", Duration::Hours(1)).need, (std::vector<JobId>{JobId(99)}));
}

}  // namespace
}  // namespace pinka::test
