#include "scheduler/sim/purchases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/sim/figures.h"
#include "scheduler/sim/headline.h"
#include "scheduler/sim/scenario.h"

namespace pinka::sim {
namespace {

using ::testing::HasSubstr;

ReplayInput Lab() {
  ReplayInput input;
  input.lab.tiers.emplace_back().row.name = "a100";
  return input;
}

TEST(Buy, TakesHoursAndMachines) {
  ReplayInput input = Lab();
  ASSERT_TRUE(Buy("a100:1000h=12000", &input).ok());
  ASSERT_TRUE(Buy("a100:8u=7000", &input).ok());
  ASSERT_EQ(input.packages.size(), 1u);
  EXPECT_EQ(input.packages[0].total_ms, int64_t{1'000} * 3'600'000);
  EXPECT_EQ(input.packages[0].price, Money::Whole(12'000));
  EXPECT_EQ(input.package_tiers, std::vector<std::string>{"a100"});
  ASSERT_EQ(input.nodes.size(), 1u);
  EXPECT_EQ(input.nodes[0].units, 8);
  EXPECT_EQ(input.nodes[0].source, Source::kOwned);
  EXPECT_EQ(input.lab.tiers[0].rates[0].source, Source::kOwned);
}

TEST(Buy, RefusesWhatIsNone) {
  ReplayInput input = Lab();
  for (const char* text : {"", "a100", "a100:8=7", "a100:u=7", "a100:8u", "a100:8u=", "a100:-1h=7",
                           "a100:8u=-1", ":8u=7", "a100:8x=7", "a100=8u:7"})
    EXPECT_FALSE(Buy(text, &input).ok()) << text;
  EXPECT_THAT(Message(Buy("t4:8u=7", &input)), HasSubstr("tier \"t4\""));
}

TEST(PaidAhead, CountsWholeWeeks) {
  ReplayInput input = Lab();
  ASSERT_TRUE(Buy("a100:10h=100", &input).ok());
  ASSERT_TRUE(Buy("a100:8u=70", &input).ok());
  const auto after = [&](Duration span) { return PaidAhead(input, input.start + span); };
  EXPECT_EQ(after(Duration()), Money::Whole(170));
  EXPECT_EQ(after(Duration::Days(7)), Money::Whole(170));
  EXPECT_EQ(after(Duration::Days(7) + Duration::Seconds(1)), Money::Whole(240));
}

// Ten hours of one unit at 13.50: 135.00 on demand; in a package of 20 hours for 100.00 it is
// 100.00; on a machine of its own by the week it is that week.
TEST(Buy, PaysForTheSameWorkInOtherWays) {
  const auto trace =
      ParseTrace("submit_s,duration_s,gpus,user,gpu_type\n0,36000,1,ann,a100\n", "t");
  const auto paid = [&](const std::vector<std::string>& buy) {
    Scenario scenario;
    scenario.exact_limits = true;
    scenario.buy = buy;
    auto input = BuildInput(scenario, *trace);
    EXPECT_TRUE(input.ok()) << Message(input.status());
    const ReplayResult result = RunReplay(*input);
    const Figures figures = FiguresOf(result);
    EXPECT_EQ(figures.completed, 1);
    return PaidOf(figures, PaidAhead(*input, result.end));
  };
  EXPECT_EQ(paid({}), Money::Whole(135));
  EXPECT_EQ(paid({"a100:20h=100"}), Money::Whole(100));
  EXPECT_EQ(paid({"a100:8u=90"}), Money::Whole(90));
}

}  // namespace
}  // namespace pinka::sim
