#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace pinka {
namespace {

TEST(IsValidUtf8, TakesEveryLengthAndRefusesWhatOnlyLooksLikeIt) {
  for (const char* text : {"", "a", "é", "名", "😀", "\u07ff\u0800\uffff", "\U00010000\U0010ffff"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
  }
  EXPECT_TRUE(IsValidUtf8(std::string_view("a\0b", 3)));
  for (const char* text :
       {"\x80", "\xff", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe5\x90", "\xed\xa0\x80",
        "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xc3z"}) {
    EXPECT_FALSE(IsValidUtf8(text)) << text;
  }
}

TEST(IsPrintableName, TakesNamesPeopleHave) {
  for (const char* text : {"", "train-7b", "张伟", "Zoë Müller", "実験 1", "完成 ✔\ufe0f", "🚀",
                           "a\u00a0b", "ไทย", "العربية"}) {
    EXPECT_TRUE(IsPrintableName(text, 64)) << text;
  }
}

TEST(IsPrintableName, RefusesWhatHidesOrMovesText) {
  for (const char* text : {"a\nb", "a\tb", "\x1b[31m", "a\x7f", "\u0085", "\u200b", "\u200d",
                           "\u202e", "\u2066", "\u2028", "\ufeff", "\u3164", "\u00ad", "张\ufe0f",
                           "a\ufe0f", "\U000e0041", "\ue000", "\xff", "a\xc3"}) {
    EXPECT_FALSE(IsPrintableName(text, 64)) << text;
  }
  EXPECT_FALSE(IsPrintableName(std::string_view("a\0b", 3), 64));
}

TEST(IsPrintableName, CountsCodePointsAndNotBytes) {
  EXPECT_TRUE(IsPrintableName("名名名", 3));
  EXPECT_FALSE(IsPrintableName("名名名名", 3));
}

TEST(CountChars, CountsCodePointsAndStrayBytes) {
  EXPECT_EQ(CountChars("a名😀"), 3);
  EXPECT_EQ(CountChars("\xff\xfe"), 2);
  EXPECT_EQ(CountChars("\xe5\x90"), 2);
}

TEST(DisplayWidth, IsWhatATerminalUses) {
  struct Case {
    const char* text;
    int columns;
  };
  for (const Case& c :
       {Case{"", 0}, Case{"abc", 3}, Case{"名字", 4}, Case{"ｱｲｳ", 3}, Case{"Ａ", 2},
        Case{"e\u0301", 1}, Case{"😀", 2}, Case{"🚀a", 3}, Case{"한글", 4}, Case{"¥12.50", 6},
        Case{"，。", 4}, Case{"…", 1}, Case{"─│", 2}, Case{"\u200b", 0}, Case{"\x1b", 0},
        Case{"\xff", 1}, Case{"é", 1}, Case{"\U00020000", 2}, Case{"\U0010ffff", 1}}) {
    EXPECT_EQ(DisplayWidth(c.text), c.columns) << c.text;
  }
}

TEST(FitColumns, CutsBetweenCharactersAndSaysSo) {
  struct Case {
    const char* text;
    int columns;
    const char* fitted;
  };
  for (const Case& c :
       {Case{"abcdef", 6, "abcdef"}, Case{"abcdef", 5, "abcd…"}, Case{"名字很长", 8, "名字很长"},
        Case{"名字很长", 7, "名字很…"}, Case{"名字很长", 6, "名字…"}, Case{"名字", 1, "…"},
        Case{"abc", 0, ""}, Case{"abc", -1, ""}, Case{"", 0, ""},
        Case{"e\u0301e\u0301x", 2, "e\u0301…"}}) {
    EXPECT_EQ(FitColumns(c.text, c.columns), c.fitted) << c.text << " in " << c.columns;
  }
}

TEST(Pad, FillsColumnsAndNotBytes) {
  EXPECT_EQ(PadRight("名字", 6), "名字  ");
  EXPECT_EQ(PadLeft("名字", 6), "  名字");
  EXPECT_EQ(PadRight("abcdef", 3), "abcdef");
  EXPECT_EQ(PadLeft("", 2), "  ");
}

TEST(SanitizeForTerminal, ReplacesWhatWouldDriveTheTerminal) {
  EXPECT_EQ(SanitizeForTerminal("ok\n\t名😀"), "ok\n\t名😀");
  EXPECT_EQ(SanitizeForTerminal("\x1b[31m\a\r\x7f"), "\ufffd[31m\ufffd\ufffd\ufffd");
  EXPECT_EQ(SanitizeForTerminal("\xff"
                                "a\xe5\x90"),
            "\ufffd"
            "a\ufffd\ufffd");
  EXPECT_EQ(SanitizeForTerminal("\u009b31m"), "\ufffd31m");
  EXPECT_EQ(SanitizeForTerminal("\u202e"), "\ufffd");
}

TEST(Nearest, FindsASlipOfTheFingers) {
  const std::vector<std::string> words{"submit", "status", "show", "cancel", "a100", "rtx3090"};
  EXPECT_EQ(Nearest("sumbit", words), "submit");
  EXPECT_EQ(Nearest("cancle", words), "cancel");
  EXPECT_EQ(Nearest("shwo", words), "show");
  EXPECT_EQ(Nearest("A100", words), "a100");
  EXPECT_EQ(Nearest("a10", words), "a100");
  EXPECT_EQ(Nearest("rtx4090", words), "rtx3090");
}

TEST(Nearest, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(Nearest("frobnicate", {"submit", "status"}), "");
  EXPECT_EQ(Nearest("x", {"y"}), "");
  EXPECT_EQ(Nearest("", {"a", ""}), "");
  EXPECT_EQ(Nearest(std::string(1'000'000, 'x'), {"submit"}), "");
  EXPECT_EQ(Nearest("submit", {}), "");
}

RC_GTEST_PROP(TextProperty, WhatIsSanitizedIsValidAndStaysSo, (const std::string& bytes)) {
  std::string clean = SanitizeForTerminal(bytes);
  RC_ASSERT(IsValidUtf8(clean));
  RC_ASSERT(SanitizeForTerminal(clean) == clean);
}

RC_GTEST_PROP(TextProperty, FitsTheColumnsItWasGiven, (const std::string& bytes)) {
  int columns = *rc::gen::inRange(0, 20);
  RC_ASSERT(DisplayWidth(FitColumns(bytes, columns)) <= columns);
}

}  // namespace
}  // namespace pinka
