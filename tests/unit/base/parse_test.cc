#include "base/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka {
namespace {

using testing::HasSubstr;

struct Refusal {
  const char* text;
  const char* says;
};

// ---- durations ----

TEST(ParseDuration, ReadsEveryUnitAndTheirSums) {
  struct Case {
    const char* text;
    int64_t seconds;
  };
  for (const Case& c : {Case{"90s", 90}, Case{"15m", 900}, Case{"2h", 7'200}, Case{"3d", 259'200},
                        Case{"1h30m", 5'400}, Case{"1d2h3m4s", 93'784}, Case{"0s", 0},
                        Case{"1h0m", 3'600}, Case{"3650d", 315'360'000}, Case{"1s", 1}}) {
    ASSERT_TRUE(ParseDuration(c.text).ok()) << c.text;
    EXPECT_EQ(ParseDuration(c.text)->seconds(), c.seconds) << c.text;
  }
}

TEST(ParseDuration, RefusesABareNumberWithAHint) {
  EXPECT_EQ(Message(ParseDuration("90").status()),
            "\"90\" is not a duration: it has no unit, write 90s, 90m, 90h or 90d");
}

TEST(ParseDuration, RefusesColonsWithAHint) {
  EXPECT_EQ(Message(ParseDuration("1:30").status()),
            "\"1:30\" is not a duration: colons could mean minutes or hours, write 1h30m or 1m30s");
}

TEST(ParseDuration, RefusesEverythingElseAndSaysWhy) {
  for (const Refusal& r : {Refusal{"", "it is empty"},
                           Refusal{"h", "whole numbers with units"},
                           Refusal{"-2h", "whole numbers with units"},
                           Refusal{"+2h", "whole numbers with units"},
                           Refusal{" 2h", "whole numbers with units"},
                           Refusal{"2h ", "whole numbers with units"},
                           Refusal{"1.5h", "the units are"},
                           Refusal{"2 h", "the units are"},
                           Refusal{"2H", "the units are"},
                           Refusal{"2w", "the units are"},
                           Refusal{"1h30", "its last number has no unit"},
                           Refusal{"30m1h", "the largest first"},
                           Refusal{"1h1h", "each unit stands once"},
                           Refusal{"0m", "it is zero, write 0s"},
                           Refusal{"0h0s", "it is zero, write 0s"},
                           Refusal{"3651d", "the longest is 3650d"},
                           Refusal{"3650d1s", "the longest is 3650d"},
                           Refusal{"9223372036854775807s", "the longest is 3650d"},
                           Refusal{"99999999999999999999s", "whole numbers with units"},
                           Refusal{"99999999999999999999", "it has no unit"}}) {
    Status status = ParseDuration(r.text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << r.text;
    EXPECT_THAT(Message(status), HasSubstr(r.says)) << r.text;
  }
}

TEST(FormatDuration, IsTheShortestExactForm) {
  EXPECT_EQ(FormatDuration(Duration::Seconds(5'400)), "1h30m");
  EXPECT_EQ(FormatDuration(Duration::Seconds(90)), "1m30s");
  EXPECT_EQ(FormatDuration(Duration()), "0s");
  EXPECT_EQ(FormatDuration(Duration::Days(2)), "2d");
  EXPECT_EQ(FormatDuration(Duration::Seconds(86'401)), "1d1s");
  EXPECT_EQ(FormatDuration(Duration::Millis(1'900)), "1s");
  EXPECT_EQ(FormatDuration(Duration::Seconds(-90)), "-1m30s");
}

// ---- money ----

TEST(ParseMoney, ReadsPeoplesForms) {
  struct Case {
    const char* text;
    int64_t micros;
  };
  for (const Case& c : {Case{"12.50", 12'500'000}, Case{"¥12.50", 12'500'000},
                        Case{"\uffe5"
                             "12.50",
                             12'500'000},
                        Case{"12", 12'000'000}, Case{"-3.1", -3'100'000}, Case{"-¥3.1", -3'100'000},
                        Case{"0", 0}, Case{"0.000001", 1}, Case{"007", 7'000'000}, Case{"-0.00", 0},
                        Case{"999999999999.999999", 999'999'999'999'999'999}}) {
    ASSERT_TRUE(ParseMoney(c.text).ok()) << c.text;
    EXPECT_EQ(ParseMoney(c.text)->micros(), c.micros) << c.text;
  }
}

TEST(ParseMoney, RefusesTheRestAndSaysWhy) {
  for (const Refusal& r :
       {Refusal{"", "write it as 12.50"}, Refusal{"¥", "write it as 12.50"},
        Refusal{"$12", "write it as 12.50"}, Refusal{".5", "write it as 12.50"},
        Refusal{"5.", "write it as 12.50"}, Refusal{"+5", "write it as 12.50"},
        Refusal{"--5", "write it as 12.50"}, Refusal{"1e3", "write it as 12.50"},
        Refusal{"1.2.3", "write it as 12.50"}, Refusal{" 5", "write it as 12.50"},
        Refusal{"¥-5", "write it as 12.50"}, Refusal{"nan", "write it as 12.50"},
        Refusal{"1,000.00", "leave the commas out"}, Refusal{"0.0000001", "more than 6 decimals"},
        Refusal{"1000000000000", "more than 12 digits"}}) {
    Status status = ParseMoney(r.text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << r.text;
    EXPECT_THAT(Message(status), HasSubstr(r.says)) << r.text;
  }
}

TEST(ParseWireMoney, ReadsExactlyTheWiresForm) {
  EXPECT_EQ(ParseWireMoney("12.500000")->micros(), 12'500'000);
  EXPECT_EQ(ParseWireMoney("-0.5")->micros(), -500'000);
  EXPECT_EQ(ParseWireMoney("0")->micros(), 0);
  EXPECT_EQ(ParseWireMoney("-0")->micros(), 0);
  EXPECT_EQ(ParseWireMoney("999999999999")->micros(), 999'999'999'999'000'000);
  for (const char* text : {"", "-", "00", "01.5", "¥1", "1.", ".1", "1.0000001", "+1", "1 ", " 1",
                           "1000000000000", "1e3", "1,0", "1.5.", "--1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseWireMoney(text).status())) << text;
  }
}

TEST(FormatMoney, RoundsHalfAwayAndNeverShowsMinusZero) {
  struct Case {
    int64_t micros;
    const char* wire;
    const char* money;
  };
  for (const Case& c : {Case{12'500'000, "12.500000", "12.50"}, Case{0, "0.000000", "0.00"},
                        Case{5'000, "0.005000", "0.01"}, Case{4'999, "0.004999", "0.00"},
                        Case{-5'000, "-0.005000", "-0.01"}, Case{-4'999, "-0.004999", "0.00"},
                        Case{-1'000'000, "-1.000000", "-1.00"},
                        Case{INT64_MAX, "9223372036854.775807", "9223372036854.78"},
                        Case{INT64_MIN, "-9223372036854.775808", "-9223372036854.78"}}) {
    EXPECT_EQ(FormatWireMoney(Money::Micros(c.micros)), c.wire);
    EXPECT_EQ(FormatMoney(Money::Micros(c.micros)), c.money);
  }
}

TEST(FormatAmount, PutsTheSignBeforeTheCurrency) {
  EXPECT_EQ(FormatAmount(Money::Micros(12'500'000), "CNY"), "¥12.50");
  EXPECT_EQ(FormatAmount(Money::Micros(-12'500'000), "CNY"), "-¥12.50");
  EXPECT_EQ(FormatAmount(Money::Whole(1), "USD"), "$1.00");
  EXPECT_EQ(FormatAmount(Money::Whole(-1), "CHF"), "-CHF 1.00");
}

// ---- memory ----

TEST(ParseMemory, ReadsPowersOf1024) {
  constexpr int64_t kG = int64_t{1} << 30;
  struct Case {
    const char* text;
    int64_t bytes;
  };
  for (const Case& c :
       {Case{"16G", 16 * kG}, Case{"16GiB", 16 * kG}, Case{"16GB", 16 * kG}, Case{"16g", 16 * kG},
        Case{"512M", kG / 2}, Case{"1.5T", 1'536 * kG}, Case{"4K", 4'096}, Case{"0.5G", kG / 2},
        Case{"0G", 0}, Case{"512B", 512}}) {
    ASSERT_TRUE(ParseMemory(c.text).ok()) << c.text;
    EXPECT_EQ(*ParseMemory(c.text), c.bytes) << c.text;
  }
}

TEST(ParseMemory, RefusesTheRestAndSaysWhy) {
  for (const Refusal& r :
       {Refusal{"16", "it has no unit, write 16G or 16M"}, Refusal{"", "write a number and a unit"},
        Refusal{"G", "write a number and a unit"}, Refusal{"-1G", "write a number and a unit"},
        Refusal{".5G", "write a number and a unit"}, Refusal{"1..5G", "write a number and a unit"},
        Refusal{"16P", "the units are"}, Refusal{"16Gi", "the units are"},
        Refusal{"16 G", "the units are"}, Refusal{"16GG", "the units are"},
        Refusal{"9999999999T", "no machine has so much"},
        Refusal{"99999999999999999999G", "no machine has so much"}}) {
    Status status = ParseMemory(r.text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << r.text;
    EXPECT_THAT(Message(status), HasSubstr(r.says)) << r.text;
  }
}

TEST(FormatMemory, IsExactWhereThatIsShort) {
  constexpr int64_t kM = int64_t{1} << 20;
  EXPECT_EQ(FormatMemory(16'384 * kM), "16G");
  EXPECT_EQ(FormatMemory(1'536 * kM), "1.5G");
  EXPECT_EQ(FormatMemory(1'500 * kM), "1500M");
  EXPECT_EQ(FormatMemory(81'920 * kM), "80G");
  EXPECT_EQ(FormatMemory(1'572'864 * kM), "1.5T");
  EXPECT_EQ(FormatMemory(67'408'003'072), "62.8G");
  EXPECT_EQ(FormatMemory(0), "0B");
  EXPECT_EQ(FormatMemory(1'023), "1023B");
  EXPECT_EQ(FormatMemory(-1'024), "-1K");
}

// ---- the rest ----

TEST(FormatUtc, IsIso8601WithoutFractions) {
  struct Case {
    int64_t micros;
    const char* text;
  };
  for (const Case& c :
       {Case{0, "1970-01-01T00:00:00Z"}, Case{1'796'019'427'000'000, "2026-11-30T06:17:07Z"},
        Case{1'796'019'427'999'999, "2026-11-30T06:17:07Z"},
        Case{951'782'400'000'000, "2000-02-29T00:00:00Z"},
        Case{1'709'251'199'000'000, "2024-02-29T23:59:59Z"}, Case{-1, "1969-12-31T23:59:59Z"},
        Case{-62'135'596'800'000'000, "0001-01-01T00:00:00Z"}, Case{INT64_MAX, "never"},
        Case{INT64_MAX - 1, "294247-01-10T04:00:54Z"}}) {
    EXPECT_EQ(FormatUtc(Timestamp::Micros(c.micros)), c.text);
  }
}

TEST(ParseInt, ReadsWholeNumbersInTheirBounds) {
  EXPECT_EQ(*ParseInt("8", 0, 8, "--gpus"), 8);
  EXPECT_EQ(*ParseInt("-3", -3, 8, "--nice"), -3);
  EXPECT_EQ(*ParseInt("9223372036854775807", 0, INT64_MAX, "n"), INT64_MAX);
}

TEST(ParseInt, NamesWhatItRefusesAndWhatWouldDo) {
  for (const char* text :
       {"", "9", "-1", "8x", " 8", "8 ", "+8", "0x8", "1.0", "9223372036854775808"}) {
    Status status = ParseInt(text, 0, 8, "--gpus").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_EQ(Message(status),
              std::string("--gpus is \"") + text + "\": write a whole number from 0 to 8");
  }
}

}  // namespace
}  // namespace pinka
