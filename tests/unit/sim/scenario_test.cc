#include "scheduler/sim/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/sim/simulate_options.h"

namespace pinka::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<TraceJob> Trace(const std::string& rows) {
  return *ParseTrace("submit_s,duration_s,gpus,user,gpu_type\n" + rows, "t.csv");
}

std::string Refused(const Scenario& scenario) {
  const auto input = BuildInput(scenario, Trace("0,60,1,ann,\n"));
  EXPECT_FALSE(input.ok());
  return input.ok() ? "" : Message(input.status());
}

TEST(PolicyOf, SwitchesItsPartsOff) {
  EXPECT_TRUE(PolicyOf("pinka")->fair_share);
  EXPECT_TRUE(PolicyOf("pinka")->backfill);
  EXPECT_FALSE(PolicyOf("fifo")->backfill);
  EXPECT_FALSE(PolicyOf("fifo")->age);
  EXPECT_TRUE(PolicyOf("fifo-backfill")->backfill);
  EXPECT_FALSE(PolicyOf("fifo-backfill")->fair_share);
  EXPECT_FALSE(PolicyOf("pinka-no-size")->size);
  EXPECT_TRUE(PolicyOf("pinka-no-size")->age);
  EXPECT_FALSE(PolicyOf("pinka-no-fair-share")->fair_share);
  EXPECT_FALSE(PolicyOf("pinka-no-preemption")->preemption);
  EXPECT_THAT(Message(PolicyOf("pinka-no-money").status()),
              HasSubstr("no policy \"pinka-no-money\""));
}

TEST(TierOfCard, ByNameOrByCard) {
  const std::vector<std::string> tiers = {"cpu", "a100", "a100-80", "rtx3090", "t4"};
  EXPECT_EQ(TierOfCard("a100", tiers), "a100");
  EXPECT_EQ(TierOfCard("NVIDIA A100-SXM4-40GB", tiers), "a100");
  EXPECT_EQ(TierOfCard("A100 80", tiers), "a100-80");
  EXPECT_EQ(TierOfCard("RTX 3090", tiers), "rtx3090");
  EXPECT_EQ(TierOfCard("Tesla T4", tiers), "t4");
  EXPECT_EQ(TierOfCard("H100", tiers), "");
}

// 2 units for 100 s and 4 for 200 s, in 200 s: a mean of 5, 6 with the fifth more; one machine.
TEST(BuildInput, MakesALabForTheTrace) {
  const auto input = BuildInput({}, Trace("0,100,2,ann,v100\n0,200,4,bob,v100\n10,50,1,ann,\n"));
  ASSERT_TRUE(input.ok()) << Message(input.status());
  ASSERT_EQ(input->lab.tiers.size(), 2u);
  EXPECT_EQ(input->lab.tiers[0].row.name, "gpu");
  EXPECT_EQ(input->lab.tiers[1].row.name, "v100");
  EXPECT_EQ(input->lab.tiers[1].row.simulated_units, 8);
  ASSERT_EQ(input->nodes.size(), 2u);
  EXPECT_EQ(input->nodes[1].units, 8);
  EXPECT_EQ(input->lab.members.size(), 2u);
  EXPECT_EQ(input->zone, "Asia/Shanghai");
  EXPECT_THAT(input->jobs[1].tiers, ElementsAre("v100"));
  EXPECT_GT(input->pot, Money::Whole(1'000'000));
}

TEST(BuildInput, LimitsAreOneToThreeTimesTheWorkOrExact) {
  std::string rows;
  for (int i = 0; i < 300; ++i) rows += "0,1000,1,ann,\n";
  Scenario scenario;
  Duration least = Duration::Days(1);
  Duration most;
  const auto some = BuildInput(scenario, Trace(rows));
  for (const ReplayJob& job : some->jobs) {
    least = std::min(least, job.limit);
    most = std::max(most, job.limit);
  }
  EXPECT_GE(least, Duration::Seconds(1'000));
  EXPECT_LT(least, Duration::Seconds(1'100));
  EXPECT_LE(most, Duration::Seconds(3'000));
  EXPECT_GT(most, Duration::Seconds(2'900));
  scenario.exact_limits = true;
  const auto exact = BuildInput(scenario, Trace(rows));
  for (const ReplayJob& job : exact->jobs) EXPECT_EQ(job.limit, Duration::Seconds(1'000));
}

TEST(BuildInput, NodesReplaceAndAddAdds) {
  Scenario scenario;
  scenario.nodes = {"gpu:3x4"};
  scenario.add = {"gpu:2", "gpu:1x16"};
  const auto input = BuildInput(scenario, Trace("0,60,1,ann,\n"));
  ASSERT_EQ(input->nodes.size(), 3u);
  EXPECT_EQ(input->nodes[0].nodes, 3);
  EXPECT_EQ(input->nodes[0].units, 4);
  EXPECT_EQ(input->nodes[1].nodes, 2);
  EXPECT_EQ(input->nodes[1].units, 4);
  EXPECT_EQ(input->nodes[2].units, 16);
}

TEST(BuildInput, RefusesWhatTheLabDoesNotHave) {
  Scenario scenario;
  scenario.nodes = {"gpus:3"};
  EXPECT_THAT(
      Refused(scenario),
      HasSubstr("--nodes names tier \"gpus\", which the lab does not have; did you mean gpu?"));
  scenario.nodes = {"gpu"};
  EXPECT_THAT(Refused(scenario), HasSubstr("like a100:4x8"));
  scenario.nodes = {"gpu:2xmany"};
  EXPECT_THAT(Refused(scenario), HasSubstr("like a100:4x8"));
  scenario = {};
  scenario.default_tier = "t4";
  EXPECT_THAT(Refused(scenario), HasSubstr("--tier names tier \"t4\""));
  scenario = {};
  scenario.lab.emplace();
  EXPECT_THAT(Refused(scenario), HasSubstr("no tier"));
  scenario.lab->tiers.emplace_back().row.name = "gpu";
  scenario.spot = *ParseSpot("t_s,zone,instances_up\n0,z,1\n", "s.csv", "");
  EXPECT_THAT(Refused(scenario), HasSubstr("no spot price"));
  scenario.spot = {};
  EXPECT_THAT(Refused(scenario), HasSubstr("the lab has no machines"));
}

TEST(BuildInput, ACardThatNobodyHasIsInfeasible) {
  Scenario scenario;
  scenario.lab.emplace();
  scenario.lab->tiers.emplace_back().row.name = "t4";
  scenario.lab->tiers.back().row.simulated_units = 10;
  scenario.lab->tiers.emplace_back().row.name = "v100";  // has no machine
  const auto input = BuildInput(
      scenario, Trace("0,60,1,ann,H100\n0,60,1,ann,\n0,60,1,ann,H100|T4\n0,60,1,ann,V100\n"));
  ASSERT_TRUE(input.ok()) << Message(input.status());
  EXPECT_THAT(input->jobs[0].tiers, IsEmpty());
  EXPECT_THAT(input->jobs[1].tiers, ElementsAre("t4"));
  EXPECT_THAT(input->jobs[2].tiers, ElementsAre("t4"));
  EXPECT_THAT(input->jobs[3].tiers, IsEmpty());
  ASSERT_EQ(input->nodes.size(), 2u);  // eight to a machine
  EXPECT_EQ(input->nodes[0].units, 8);
  EXPECT_EQ(input->nodes[1].units, 2);
}

TEST(Options, AreRead) {
  const auto options = ParseSimulateOptions(
      {"--trace", "t.csv", "--policy=fifo", "--seed", "7", "--limits", "exact", "--money", "on",
       "--add", "a100:2", "--add", "t4:1", "--checkpoint", "0s", "--json"});
  ASSERT_TRUE(options.ok()) << Message(options.status());
  EXPECT_EQ(options->trace, "t.csv");
  EXPECT_EQ(options->scenario.policy, "fifo");
  EXPECT_EQ(options->scenario.seed, 7u);
  EXPECT_TRUE(options->scenario.exact_limits);
  EXPECT_TRUE(options->scenario.money);
  EXPECT_THAT(options->scenario.add, ElementsAre("a100:2", "t4:1"));
  EXPECT_EQ(options->scenario.checkpoint_every, Duration());
  EXPECT_TRUE(options->json);
}

TEST(Options, RefusalsAreOneSentence) {
  const auto refused = [](const std::vector<std::string>& words) {
    const auto options = ParseSimulateOptions(words);
    return options.ok() ? std::string() : Message(options.status());
  };
  EXPECT_THAT(refused({}), HasSubstr("--trace FILE"));
  EXPECT_THAT(refused({"--polcy", "x"}), HasSubstr("did you mean --policy?"));
  EXPECT_THAT(refused({"--trace"}), HasSubstr("--trace needs a value"));
  EXPECT_THAT(refused({"--seed", "many"}), HasSubstr("--seed: is \"many\""));
  EXPECT_THAT(refused({"--money", "some"}), HasSubstr("write on or off"));
  EXPECT_THAT(refused({"--policy", "lifo"}), HasSubstr("fifo-backfill"));
  EXPECT_THAT(refused({"--checkpoint", "30"}), HasSubstr("write 30m"));
  EXPECT_THAT(refused({"--trace", "t.csv", "--pass", "0s"}), HasSubstr("above 0"));
  EXPECT_EQ(refused({"--help"}), "");
}

}  // namespace
}  // namespace pinka::sim
