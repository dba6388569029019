// The calendar's nights: the lab's hours in the lab's zone, and what a change of them leaves alone.
#include "scheduler/runtime/calendar.h"

#include <gtest/gtest.h>

#include "base/parse.h"

namespace pinka {
namespace {

constexpr Timestamp kNoon = Timestamp::Seconds(1'790'740'800);  // 2026-09-30 12:00 in Shanghai

std::string Text(const std::vector<PeriodRow>& nights) {
  std::string text;
  for (const PeriodRow& night : nights) {
    EXPECT_EQ(night.kind, Period::kNight);
    text += FormatUtc(night.start_at) + "/" + FormatUtc(night.end_at) + " ";
  }
  return text;
}

TEST(Nights, AreThoseThatBeginWithinADayAndAHalf) {
  const auto nights = NightsAround("Asia/Shanghai", kNoon, Timestamp(), 23 * 60, 8 * 60);
  ASSERT_TRUE(nights.ok());
  EXPECT_EQ(Text(*nights),
            "2026-09-30T15:00:00Z/2026-10-01T00:00:00Z 2026-10-01T15:00:00Z/2026-10-02T00:00:00Z ");
}

TEST(Nights, CountTheOneThatGoesOn) {
  const Timestamp late = kNoon + Duration::Hours(16);  // 04:00
  const auto nights = NightsAround("Asia/Shanghai", late, Timestamp(), 23 * 60, 8 * 60);
  ASSERT_TRUE(nights.ok());
  EXPECT_EQ(FormatUtc(nights->at(0).start_at), "2026-09-30T15:00:00Z");
}

TEST(Nights, ThatDoNotCrossMidnightEndOnTheSameDay) {
  const auto nights = NightsAround("Asia/Shanghai", kNoon, Timestamp(), 60, 5 * 60);
  ASSERT_TRUE(nights.ok());
  EXPECT_EQ(Text(*nights), "2026-09-30T17:00:00Z/2026-09-30T21:00:00Z ");
}

TEST(Nights, ThatAreWrittenKeepTheirHours) {
  const Timestamp written = kNoon + Duration::Hours(44);  // the end of the second night
  const auto none = NightsAround("Asia/Shanghai", kNoon, written, 20 * 60, 6 * 60);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(Text(*none), "");
  const auto later =
      NightsAround("Asia/Shanghai", kNoon + Duration::Hours(24), written, 20 * 60, 6 * 60);
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(Text(*later), "2026-10-02T12:00:00Z/2026-10-02T22:00:00Z ");
  EXPECT_FALSE(NightsAround("Mars", kNoon, Timestamp(), 0, 1).ok());
}

}  // namespace
}  // namespace pinka
