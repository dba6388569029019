#include "client/cli/core/amount.h"

#include <gtest/gtest.h>

#include <numeric>

namespace pinka::cli {
namespace {

TEST(Amount, HasTheCurrencyAndTwoDecimals) {
  EXPECT_EQ(Amount("12.500000", "CNY"), "¥12.50");
  EXPECT_EQ(Amount("0.005000", "CNY"), "¥0.01");
  EXPECT_EQ(Amount("", "CNY"), "-");
  EXPECT_EQ(Amount("unlimited", "CNY"), "unlimited");
}

TEST(SpreadCents, MakesLinesSumToTheRoundedTotal) {
  const Money third = Money::Micros(33'333'333);
  const std::vector<Money> spread = SpreadCents({third, third, Money::Micros(33'333'334)});
  EXPECT_EQ(std::accumulate(spread.begin(), spread.end(), Money()), Money::Whole(100));
  EXPECT_EQ(spread[2], Money::Micros(33'340'000)) << "the largest remainder gets the cent";
}

TEST(SpreadCents, WorksBelowZeroAndForNothing) {
  EXPECT_TRUE(SpreadCents({}).empty());
  const std::vector<Money> spread = SpreadCents({Money::Micros(-5'000), Money::Micros(5'000)});
  EXPECT_EQ(spread[0] + spread[1], Money());
}

TEST(SpreadCents, ReachesATotalThatIsACentAway) {
  const std::vector<Money> whole = {Money::Whole(1), Money::Micros(1'000'001), Money::Whole(1)};
  const std::vector<Money> less = SpreadCentsTo(whole, Money::Micros(2'990'000));
  EXPECT_EQ(std::accumulate(less.begin(), less.end(), Money()), Money::Micros(2'990'000));
  EXPECT_EQ(less[1], Money::Whole(1)) << "the one with a remainder gives last";
  const std::vector<Money> more = SpreadCentsTo(whole, Money::Micros(3'010'000));
  EXPECT_EQ(more[1], Money::Micros(1'010'000));
  EXPECT_EQ(RoundToCents(Money::Micros(-5'000)), Money::Micros(-10'000));
}

}  // namespace
}  // namespace pinka::cli
