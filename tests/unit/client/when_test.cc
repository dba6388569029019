#include "client/cli/core/when.h"

#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

constexpr Timestamp kNow = Timestamp::Seconds(1'796'019'427);  // 2026-11-30T06:17:07Z

TEST(Zone, PrintsTheLabsTimeWithItsOffset) {
  const Zone shanghai("Asia/Shanghai");
  EXPECT_EQ(shanghai.Full(kNow), "2026-11-30 14:17:07+08:00");
  EXPECT_EQ(shanghai.Short(kNow), "11-30 14:17+08:00");
  EXPECT_EQ(shanghai.Full(Timestamp()), "-");
  EXPECT_EQ(Zone("Nowhere/Land").Full(kNow), "2026-11-30 06:17:07+00:00");
}

TEST(Zone, ReadsTimesInTheLabsZone) {
  const Zone shanghai("Asia/Shanghai");
  for (const char* text : {"2026-11-30T14:17:07", "2026-11-30 14:17:07", "2026-11-30T06:17:07Z",
                           "2026-11-30T01:17:07-05:00", "now"}) {
    const auto at = shanghai.Parse(text, kNow);
    ASSERT_TRUE(at.ok()) << text;
    EXPECT_EQ(*at, kNow) << text;
  }
  EXPECT_EQ(shanghai.Full(*shanghai.Parse("2026-12-01", kNow)), "2026-12-01 00:00:00+08:00");
  EXPECT_EQ(*shanghai.Parse("now+2h", kNow), kNow + Duration::Hours(2));
  EXPECT_EQ(*shanghai.Parse("now-3d", kNow), kNow - Duration::Days(3));
}

TEST(Zone, RefusesWhatIsNoTime) {
  for (const char* text : {"", "tomorrow", "2026-13-01", "30.11.2026", "now+2", "now*2h"}) {
    EXPECT_FALSE(Zone("UTC").Parse(text, kNow).ok()) << text;
  }
}

TEST(ProtoTimes, ComeBackToTheMicrosecond) {
  for (const int64_t micros : {int64_t{0}, int64_t{1}, int64_t{-1}, kNow.micros() + 123'456}) {
    EXPECT_EQ(FromProto(ToProto(Timestamp::Micros(micros))).micros(), micros);
  }
  EXPECT_EQ(FormatRfc3339(ToProto(kNow)), "2026-11-30T06:17:07Z");
  EXPECT_EQ(FormatRfc3339(ToProto(kNow + Duration::Millis(5))), "2026-11-30T06:17:07.005Z");
}

TEST(FormatSpan, DropsWhatNobodyReads) {
  EXPECT_EQ(FormatSpan(Duration::Seconds(45)), "45s");
  EXPECT_EQ(FormatSpan(Duration::Days(2) + Duration::Seconds(3'725)), "2d1h");
}

}  // namespace
}  // namespace pinka::cli
