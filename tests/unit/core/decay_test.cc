#include "scheduler/core/decay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace pinka {
namespace {

constexpr long double kOne = 4611686018427387904.0L;  // 2^62

long double Real(uint64_t x_q32) {
  return std::exp2(-static_cast<long double>(x_q32) / 4294967296.0L);
}

TEST(Exp2Neg, IsWithinOnePartIn10To12WhereTheResultHasThatManyBits) {
  SeededRandom random(1);
  for (int n = 0; n < 200'000; ++n) {
    const uint64_t x = random.Below(uint64_t{20} << 32);
    const long double real = Real(x);
    const long double got = static_cast<long double>(Exp2Neg(x)) / kOne;
    ASSERT_LT(std::fabs(got - real) / real, 1e-12L) << x;
  }
}

TEST(Exp2Neg, IsExactAtWholeNumbersAndZeroBeyondItsBits) {
  for (uint64_t k = 0; k < 62; ++k) EXPECT_EQ(Exp2Neg(k << 32), uint64_t{1} << (62 - k));
  EXPECT_EQ(Exp2Neg(uint64_t{62} << 32), 0u);
  EXPECT_EQ(Exp2Neg(UINT64_MAX), 0u);
}

TEST(Exp2Neg, NeverRises) {
  SeededRandom random(2);
  for (int n = 0; n < 100'000; ++n) {
    const uint64_t x = random.Below(uint64_t{62} << 32);
    ASSERT_GE(Exp2Neg(x), Exp2Neg(x + 1 + random.Below(1'000'000))) << x;
  }
}

TEST(Decay, HalvesEachHalfLife) {
  EXPECT_EQ(Decay(Duration(), 168), uint64_t{1} << 62);
  EXPECT_EQ(Decay(Duration::Hours(168), 168), uint64_t{1} << 61);
  EXPECT_EQ(Decay(Duration::Days(20), 24), uint64_t{1} << 42);
  EXPECT_EQ(Decay(Duration::Days(80), 24), 0u);
}

TEST(Decay, CountsTheFutureAsNow) { EXPECT_EQ(Decay(Duration::Hours(-3), 24), uint64_t{1} << 62); }

TEST(MulQ62, MultipliesTowardZeroWithoutLosingHighBits) {
  const uint64_t half = uint64_t{1} << 61;
  const Int128 big = (static_cast<Int128>(1) << 120) + 3;
  EXPECT_TRUE(MulQ62(big, half) == (static_cast<Int128>(1) << 119) + 1);
  EXPECT_TRUE(MulQ62(-big, half) == -((static_cast<Int128>(1) << 119) + 1));
  EXPECT_TRUE(MulQ62(7, uint64_t{1} << 62) == 7);
}

}  // namespace
}  // namespace pinka
