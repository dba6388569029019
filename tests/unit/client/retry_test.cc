#include "client/cli/core/retry.h"

#include <gtest/gtest.h>

#include "client/cli/core/errors.h"

namespace pinka::cli {
namespace {

v1::Error Unreachable() { return ErrorOf(FromRpc(14, "refused", "", "h:1")); }

TEST(RetryPolicy, AsksAServerThatIsAwayEverMoreRarely) {
  const RetryPolicy policy{Duration::Seconds(10)};
  EXPECT_EQ(policy.Next(Unreachable(), 1, Duration()), Duration::Millis(50));
  EXPECT_EQ(policy.Next(Unreachable(), 2, Duration()), Duration::Millis(100));
  EXPECT_EQ(policy.Next(Unreachable(), 90, Duration()), Duration::Seconds(1));
}

TEST(RetryPolicy, ObeysAServerThatNamesATime) {
  v1::Error busy;
  busy.set_exit_code(kExitFailure);
  busy.set_retry_after_ms(700);
  EXPECT_EQ(RetryPolicy{Duration::Seconds(10)}.Next(busy, 1, Duration()), Duration::Millis(700));
}

TEST(RetryPolicy, GivesUpInTheEndAndAtOnceOnARefusal) {
  const RetryPolicy policy{Duration::Seconds(10)};
  EXPECT_FALSE(policy.Next(Unreachable(), 20, Duration::Millis(9'500)).has_value());
  v1::Error refusal;
  refusal.set_exit_code(kExitBudget);
  EXPECT_FALSE(policy.Next(refusal, 1, Duration()).has_value());
}

}  // namespace
}  // namespace pinka::cli
