#include "client/cli/core/plan_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/core/when.h"

namespace pinka::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

v1::AdvisePlanResponse Plan() {
  v1::AdvisePlanResponse plan;
  plan.set_currency("CNY");
  v1::TierPlan* tier = plan.add_tiers();
  tier->set_tier("a100");
  tier->set_peak_units(12);
  tier->set_on_demand("12.000000");
  tier->set_spot("4.000000");
  tier->set_package("9.000000");
  tier->set_weekly("1411.200000");
  v1::PlanCost* weekly = tier->add_costs();
  weekly->set_plan("weekly");
  weekly->set_weekly_units(3);
  v1::PlanCost* package = tier->add_costs();
  package->set_plan("package");
  package->set_package_hours("100.000000");
  v1::PlanCost* spot = tier->add_costs();
  spot->set_plan("spot");
  spot->set_spot_hours("50.000000");
  tier->add_costs()->set_plan("on_demand");
  return plan;
}

v1::Job Ran(int64_t id, const char* user, const char* tier, int32_t units, int32_t tasks) {
  v1::Job job;
  job.set_id(id);
  job.set_user(user);
  job.set_tier(tier);
  job.set_units(units);
  job.set_task_count(tasks);
  job.set_state(v1::TaskState::COMPLETED);
  *job.mutable_submitted_at() = ToProto(Timestamp::Seconds(1'000));
  return job;
}

TEST(TraceOf, IsALineForEachTaskThatRan) {
  v1::GetUsageResponse usage;
  v1::UsageRow* row = usage.add_rows();
  row->set_key("1");
  row->set_wall_hours("2.000000");
  row = usage.add_rows();
  row->set_key("2");
  row->set_wall_hours("0.500000");
  v1::Job failed = Ran(2, "王芳, \"x\"", "a100", 16, 1);
  failed.set_state(v1::TaskState::FAILED);
  const HistoryTrace trace = TraceOf({Ran(1, "alice", "a100", 1, 2), failed,
                                      Ran(3, "bob", "a100", 1, 1), Ran(1, "bob", "t4", 1, 1)},
                                     usage, Plan());
  EXPECT_EQ(trace.csv,
            "submit_s,duration_s,gpus,user,gpu_type,status\n"
            "1000.000,3600.000,1,\"alice\",\"a100\",Pass\n"
            "1000.000,3600.000,1,\"alice\",\"a100\",Pass\n"
            "1000.000,1800.000,16,\"王芳, \"\"x\"\"\",\"a100\",Failed\n");
  EXPECT_EQ(trace.tasks, 3);
  EXPECT_EQ(trace.widest.at("a100"), 16);
}

TEST(PlansOf, AreThoseThatSomeTierHas) {
  EXPECT_THAT(PlansOf(Plan()), ElementsAre("on_demand", "spot", "package", "weekly", "advised"));
}

TEST(WordsOf, BuyWhatThePlanBuys) {
  const v1::AdvisePlanResponse plan = Plan();
  HistoryTrace trace;
  trace.widest["a100"] = 16;
  EXPECT_THAT(WordsOf(plan, trace, "on_demand"), ElementsAre("--json", "--nodes", "a100:3x16"));
  EXPECT_THAT(WordsOf(plan, trace, "package"), Contains("a100:100h=900.000000"));
  EXPECT_THAT(WordsOf(plan, trace, "weekly"), Contains("a100:3u=4233.600000"));
  EXPECT_THAT(WordsOf(plan, trace, "advised"), Contains("a100:3u=4233.600000"));
  EXPECT_THAT(WordsOf(plan, trace, "spot"), Contains("--spot-machines"));
  EXPECT_THAT(WordsOf(plan, trace, "mixed"), Not(Contains("--buy")));
}

TEST(LabOf, HasThePlannedTiersWithTheirPrices) {
  EXPECT_THAT(LabOf(Plan(), "Asia/Shanghai"), HasSubstr("[[tier]]\nname = \"a100\"\n"));
  EXPECT_THAT(LabOf(Plan(), "Asia/Shanghai"),
              HasSubstr("rates = {on_demand = \"12.000000\", spot = \"4.000000\"}"));
}

}  // namespace
}  // namespace pinka::cli
