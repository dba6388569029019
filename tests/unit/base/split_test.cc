// C32: a cost split between several payers adds up.
#include "base/split.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace pinka {
namespace {

std::vector<int64_t> Cents(int64_t cents, const std::vector<int64_t>& shares) {
  std::vector<int64_t> parts;
  for (Money part : SplitCents(Money::Micros(cents * 10'000), shares))
    parts.push_back(part.micros() / 10'000);
  return parts;
}

TEST(Split, GivesTheSpareCentToTheLargestRemainderAndOfEqualsToTheFirst) {
  const struct {
    int64_t cents;
    std::vector<int64_t> shares;
    std::vector<int64_t> parts;
  } table[] = {
      {100'00, {1, 1, 1}, {33'34, 33'33, 33'33}},
      {1, {1, 1, 1}, {1, 0, 0}},
      {10'00, {1, 2, 4}, {1'43, 2'86, 5'71}},
      {100'00, {333, 333, 334}, {33'30, 33'30, 33'40}},
      {12'000'00, {400, 800}, {4'000'00, 8'000'00}},
      {100'00, {1, 0, 1}, {50'00, 0, 50'00}},
      {1, {0, 0, 5}, {0, 0, 1}},
      {0, {1, 2}, {0, 0}},
      {5, {1, 1, 1, 1}, {2, 1, 1, 1}},
      {7, {3}, {7}},
      {2, {1, 1, 2}, {1, 0, 1}},
  };
  for (const auto& row : table) EXPECT_EQ(Cents(row.cents, row.shares), row.parts) << row.cents;
}

TEST(Split, OfHoursAmongTenIsInUnitMilliseconds) {
  const std::vector<int64_t> parts =
      SplitByShares(int64_t{1'000} * 3'600'000, std::vector<int64_t>(7, 1));
  EXPECT_EQ(parts.front(), 514'285'715);
  EXPECT_EQ(parts.back(), 514'285'714);
}

TEST(Split, KeepsTheWholeAtTheEdgesOfItsNumbers) {
  const std::vector<int64_t> parts = SplitByShares(INT64_MAX, {INT64_MAX, INT64_MAX, 1});
  EXPECT_EQ(parts[0] + parts[1] + parts[2], INT64_MAX);
  EXPECT_GE(parts[0], parts[1]);
}

RC_GTEST_PROP(SplitProperty, SumsToTheWholeAndStaysWithinAUnitOfTheExactPart, ()) {
  __extension__ typedef __int128 Wide;
  const auto whole = *rc::gen::inRange<int64_t>(0, 1'000'000'000'000);
  auto shares = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 1'000'000)));
  shares[0] += 1;
  const std::vector<int64_t> parts = SplitByShares(whole, shares);
  RC_ASSERT(parts.size() == shares.size());
  RC_ASSERT(std::accumulate(parts.begin(), parts.end(), int64_t{0}) == whole);
  const auto sum = std::accumulate(shares.begin(), shares.end(), int64_t{0});
  for (size_t i = 0; i < parts.size(); ++i) {
    const Wide off = Wide{parts[i]} * sum - Wide{whole} * shares[i];
    RC_ASSERT(off < sum && off > -sum);
    RC_ASSERT(shares[i] > 0 || parts[i] == 0);
    // More for a larger share, and of equal ones never more for a later one.
    for (size_t j = 0; j < i; ++j) RC_ASSERT(shares[j] < shares[i] || parts[j] >= parts[i]);
  }
}

TEST(Split, KnowsWholeCents) {
  EXPECT_TRUE(IsWholeCents(Money::Whole(7)));
  EXPECT_TRUE(IsWholeCents(Money::Micros(10'000)));
  EXPECT_FALSE(IsWholeCents(Money::Micros(10'001)));
}

TEST(SplitDeathTest, RefusesSharesThatAreAllZero) {
  EXPECT_DEATH(SplitByShares(1, {0, 0}), "somebody has a share");
  EXPECT_DEATH(SplitByShares(1, {}), "somebody has a share");
  EXPECT_DEATH(SplitCents(Money::Micros(1), {1}), "whole cents");
}

}  // namespace
}  // namespace pinka
