#include "base/check.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

TEST(Check, GoesOnWhenTheConditionHolds) {
  int evaluated = 0;
  PINKA_CHECK(++evaluated == 1, "never shown");
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, EndsTheProcessWithPlaceConditionAndMessage) {
  EXPECT_DEATH(PINKA_CHECK(1 + 1 == 3, "sums are wrong"),
               "check_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3: sums are wrong");
}

}  // namespace
}  // namespace pinka
