#include "base/clock.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

TEST(FakeClock, StandsStillUntilTold) {
  FakeClock clock(Timestamp::Seconds(1'000));
  EXPECT_EQ(clock.Now(), clock.Now());
  clock.Advance(Duration::Millis(2'500));
  EXPECT_EQ(clock.Now(), Timestamp::Micros(1'002'500'000));
  EXPECT_EQ(clock.Monotonic(), Duration::Millis(2'500));
  EXPECT_EQ(clock.Boottime(), Duration::Millis(2'500));
}

TEST(SystemClock, TellsAnInstantOfThisCentury) {
  SystemClock clock;
  EXPECT_GT(clock.Now(), Timestamp::Seconds(1'600'000'000));
  EXPECT_LT(clock.Now(), Timestamp::Seconds(4'102'444'800));
}

TEST(SystemClock, NeverGoesBackOnItsMeters) {
  SystemClock clock;
  Duration monotonic = clock.Monotonic();
  Duration boottime = clock.Boottime();
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_LE(monotonic, clock.Monotonic());
    EXPECT_LE(boottime, clock.Boottime());
    monotonic = clock.Monotonic();
    boottime = clock.Boottime();
  }
}

TEST(Timestamp, NeverSortsAfterEveryInstantAndZeroIsNotSet) {
  EXPECT_LT(Timestamp::Seconds(4'102'444'800), Timestamp::Never());
  EXPECT_FALSE(Timestamp());
  EXPECT_TRUE(Timestamp::Micros(1));
}

TEST(Duration, CutsTowardZero) {
  EXPECT_EQ(Duration::Micros(1'999'999).seconds(), 1);
  EXPECT_EQ(Duration::Micros(-1'999'999).seconds(), -1);
  EXPECT_EQ(Duration::Micros(1'999).millis(), 1);
  EXPECT_EQ(Duration::Days(1), Duration::Hours(24));
}

}  // namespace
}  // namespace pinka
