#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>

namespace pinka {
namespace {

// Says what it was told to say.
class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(std::deque<uint64_t> script) : script_(std::move(script)) {}
  uint64_t Next() override {
    uint64_t next = script_.front();
    script_.pop_front();
    return next;
  }

 private:
  std::deque<uint64_t> script_;
};

TEST(SeededRandom, IsSplitmix64OnEveryMachine) {
  SeededRandom random(1'234'567);
  EXPECT_EQ(random.Next(), 6'457'827'717'110'365'317u);
  EXPECT_EQ(random.Next(), 3'203'168'211'198'807'973u);
}

TEST(Random, BelowThrowsAwayWhatWouldFavourSmallNumbers) {
  // 2^64 mod 3 is 1: of the lowest values, 0 is drawn once too often.
  ScriptedRandom random({0, 1});
  EXPECT_EQ(random.Below(3), 1u);
}

TEST(Random, BelowReachesEveryNumberAboutEquallyOften) {
  SeededRandom random(42);
  std::array<int, 7> drawn{};
  for (int i = 0; i < 70'000; ++i) ++drawn[random.Below(7)];
  for (int n : drawn) EXPECT_NEAR(n, 10'000, 500);
  EXPECT_EQ(random.Below(1), 0u);
}

TEST(Random, HexHasTwoDigitsAByte) {
  ScriptedRandom random({0x8877665544332211, 0x00000000000000ab});
  EXPECT_EQ(random.Hex(9), "1122334455667788ab");
  EXPECT_EQ(random.Hex(0), "");
}

TEST(SystemRandom, DoesNotRepeatItself) {
  SystemRandom random;
  EXPECT_NE(random.Hex(16), random.Hex(16));
}

TEST(RandomDeathTest, RefusesNothingToChooseFrom) {
  SeededRandom random(1);
  EXPECT_DEATH(random.Below(0), "there is nothing below 0");
}

}  // namespace
}  // namespace pinka
