#include "client/cli/core/job_text.h"

#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

TEST(JobIdText, ShowsTheSpecOfAnArray) {
  v1::Job job;
  job.set_id(36);
  EXPECT_EQ(JobIdText(job), "36");
  job.set_array("0-9%2");
  EXPECT_EQ(JobIdText(job), "36_[0-9%2]");
  job.set_array("1,3,5,7,9,11,13,15,17");
  EXPECT_EQ(JobIdText(job), "36_[1,3,5,7,9,11,13…]");
}

TEST(TierText, LabelsSimulatedCards) {
  v1::Job job;
  job.set_tier("a100");
  EXPECT_EQ(TierText(job), "a100");
  job.set_simulated("simulated");
  EXPECT_EQ(TierText(job), "a100 (simulated)");
}

TEST(WaitText, CountsTheTasksOfAnArray) {
  v1::Job job;
  job.set_reason("Priority");
  EXPECT_EQ(WaitText(job), "Priority");
  job.set_task_count(10);
  (*job.mutable_task_states())["PENDING"] = 7;
  (*job.mutable_task_states())["RUNNING"] = 3;
  EXPECT_EQ(WaitText(job), "Priority; 7 PENDING, 3 RUNNING");
}

TEST(SweepPointText, NamesTheValuesOfATask) {
  v1::Job job;
  EXPECT_EQ(SweepPointText(job, "17_0"), "");
  job.add_sweep("lr=0.10,0.1");
  job.add_sweep("opt=adam,\"a,b\"");
  EXPECT_EQ(SweepPointText(job, "17_0"), "lr=0.10 opt=adam");
  EXPECT_EQ(SweepPointText(job, "17_3"), "lr=0.1 opt=\"a,b\"");
  EXPECT_EQ(SweepPointText(job, "17_4"), "");
}

}  // namespace
}  // namespace pinka::cli
