#include "scheduler/api/limit_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "scheduler/api/forms.h"

namespace pinka::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Board MakeBoard() {
  Board board;
  board.member_names = {{1, "王芳"}};
  board.project_names = {{5, "nlp"}};
  Board::Tier tier;
  tier.row.id = TierId(3);
  tier.row.name = "a100";
  board.tiers.push_back(tier);
  return board;
}

v1::RaiseLimitRequest Request() {
  v1::RaiseLimitRequest request;
  request.set_request_id("k");
  request.set_scope("project:nlp/王芳");
  request.set_tier("a100");
  request.set_period("month");
  request.set_of("all");
  request.set_amount("12.5");
  request.set_reason("截稿");
  *request.mutable_until() = ToProto(Timestamp::Seconds(1'800'000'000));
  return request;
}

TEST(ConvertRaise, ReadsThePlaceAndTheAmount) {
  const auto command = ConvertRaise(Request(), MakeBoard());
  ASSERT_TRUE(command.ok()) << Message(command.status());
  EXPECT_EQ(command->row.resource, LimitResource::kMoney) << "money unless said";
  EXPECT_EQ(command->row.of, LimitOf::kAll);
  EXPECT_EQ(command->row.scope, OwnedBy(ProjectId(5)));
  EXPECT_EQ(command->row.member, MemberId(1));
  EXPECT_EQ(command->row.tier, TierId(3));
  EXPECT_EQ(command->row.period, Period::kMonth);
  EXPECT_EQ(command->row.amount, 12'500'000);
  EXPECT_EQ(command->row.until, Timestamp::Seconds(1'800'000'000));
}

TEST(ConvertRaise, CountsInTheUnitOfTheResource) {
  v1::RaiseLimitRequest request = Request();
  request.set_resource("unit_hours");
  EXPECT_EQ(ConvertRaise(request, MakeBoard())->row.amount, 45'000'000);
  request.set_resource("running_units");
  EXPECT_FALSE(ConvertRaise(request, MakeBoard()).ok()) << "half a unit";
  request.set_amount("8");
  EXPECT_EQ(ConvertRaise(request, MakeBoard())->row.amount, 8);
  request.set_amount("unlimited");
  EXPECT_TRUE(ConvertRaise(request, MakeBoard())->row.unlimited);
}

TEST(ConvertRaise, RefusesWhatIsNoPlace) {
  const auto refusal = [](const std::function<void(v1::RaiseLimitRequest&)>& change) {
    v1::RaiseLimitRequest request = Request();
    change(request);
    const auto command = ConvertRaise(request, MakeBoard());
    return command.ok() ? std::string() : Message(command.status());
  };
  EXPECT_THAT(refusal([](auto& r) { r.set_scope("王芳/王芳"); }), HasSubstr("no such scope"));
  EXPECT_THAT(refusal([](auto& r) { r.set_scope("bob"); }), HasSubstr("no such scope"));
  EXPECT_THAT(refusal([](auto& r) { r.set_tier("t4"); }), HasSubstr("no such tier"));
  EXPECT_THAT(refusal([](auto& r) { r.set_period("night"); }), HasSubstr("a period is"));
  EXPECT_THAT(refusal([](auto& r) { r.set_of("some"); }), HasSubstr("each"));
  EXPECT_THAT(refusal([](auto& r) { r.set_resource("gold"); }), HasSubstr("a resource is"));
  EXPECT_THAT(refusal([](auto& r) { r.set_amount("0"); }), HasSubstr("amount"));
}

TEST(FillLimit, ShowsPercentThresholdsAndTheRaise) {
  LimitUse use;
  use.row.amount = 40'000'000;
  use.row.notify_at = {50, 80};
  use.row.block_at = 95;
  use.used = 33'999'999;
  use.crossed = {50, 80};
  use.raise = true;
  use.raised_from = 30'000'000;
  v1::Limit limit;
  FillLimit(use, &limit);
  EXPECT_EQ(limit.percent(), 84);
  EXPECT_THAT(limit.crossed(), ElementsAre(50, 80));
  EXPECT_EQ(limit.block_at(), 95);
  EXPECT_EQ(limit.raised_from(), "30.000000");
  EXPECT_FALSE(limit.has_until());
  use.row.amount = 0;
  v1::Limit nothing;
  FillLimit(use, &nothing);
  EXPECT_EQ(nothing.percent(), 0) << "of nothing no percent is used";
}

}  // namespace
}  // namespace pinka::api
