#include "scheduler/api/plan_facts.h"

#include <gtest/gtest.h>

#include "scheduler/api/forms.h"

namespace pinka::api {
namespace {

constexpr int64_t kHourMs = 3'600'000;
const Timestamp kNow = Timestamp::Seconds(1'000 * 3'600 + 1'800);

TEST(WindowOf, TakesTheLastFourWeeksInWholeHours) {
  const auto window = WindowOf({}, kNow);
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(window->to, kNow);
  EXPECT_EQ(window->from, Timestamp::Seconds((1'000 - 28 * 24) * 3'600));
  v1::AdvisePlanRequest request;
  *request.mutable_from() = ToProto(kNow);
  EXPECT_TRUE(WindowOf(request, kNow).ok());  // half an hour of it
  *request.mutable_from() = ToProto(kNow + Duration::Hours(1));
  EXPECT_FALSE(WindowOf(request, kNow).ok());
  *request.mutable_from() = ToProto(Timestamp::Seconds(0) - Duration::Days(401));
  EXPECT_FALSE(WindowOf(request, kNow).ok());
}

TEST(PlanTiers, LayHoursOutFromTheFirstThatWasUsed) {
  Board board;
  for (const int64_t id : {1, 2}) {
    Board::Tier& tier = board.tiers.emplace_back();
    tier.row.id = TierId(id);
    tier.row.name = id == 1 ? "t4" : "a100";
    tier.rates = {{Source::kOnDemand, Rate::MicrosPerUnitHour(id * 1'000'000)}};
  }
  const PlanWindow window{Timestamp::Seconds(0), Timestamp::Seconds(10 * 3'600)};
  const auto at = [](int64_t hour) { return Timestamp::Seconds(hour * 3'600); };
  const auto tiers = PlanTiers(board, window,
                               {{TierId(1), at(8), kHourMs / 2, 0},
                                {TierId(2), at(7), 3 * kHourMs, kHourMs},
                                {TierId(2), at(9), kHourMs, kHourMs}});
  ASSERT_EQ(tiers.size(), 2u);
  EXPECT_EQ(tiers[0].name, "t4");
  EXPECT_EQ(tiers[0].use.units, (std::vector<double>{0, 0.5, 0, 0}));
  EXPECT_EQ(tiers[0].use.spot_part, 0);
  EXPECT_EQ(tiers[1].use.units, (std::vector<double>{3, 0, 1, 0}));
  EXPECT_DOUBLE_EQ(tiers[1].use.spot_part, 0.5);
  EXPECT_EQ(tiers[1].on_demand.micros_per_unit_hour(), 2'000'000);
}

}  // namespace
}  // namespace pinka::api
