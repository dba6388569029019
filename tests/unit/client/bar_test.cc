#include "client/cli/core/bar.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace pinka::cli {
namespace {

TEST(Bar, ShowsThePart) {
  EXPECT_EQ(Bar(0, 4, 4), "░░░░");
  EXPECT_EQ(Bar(1, 4, 4), "█░░░");
  EXPECT_EQ(Bar(4, 4, 4), "████");
  EXPECT_EQ(Bar(0, 0, 4), "░░░░");
  EXPECT_EQ(Bar(9, 4, 4), "████");
  EXPECT_EQ(Bar(-1, 4, 4), "░░░░");
}

TEST(Bar, OfSomethingIsNeverEmptyAndOfLessThanAllNeverFull) {
  EXPECT_EQ(Bar(1, 1'000, 4), "█░░░");
  EXPECT_EQ(Bar(999, 1'000, 4), "███░");
  EXPECT_EQ(Bar(INT64_MAX - 1, INT64_MAX, 4), "████");
}

TEST(Bar, IsAsWideAsItShould) {
  for (int columns = 0; columns < 50; ++columns)
    EXPECT_EQ(DisplayWidth(Bar(3, 7, columns)), columns);
}

}  // namespace
}  // namespace pinka::cli
