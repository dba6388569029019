#include "client/cli/core/terminal_filter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace pinka::cli {
namespace {

TEST(TerminalFilter, JoinsACharacterThatCameInTwoParts) {
  TerminalFilter filter;
  EXPECT_EQ(filter.Feed("ok\xe4"), "ok");
  EXPECT_EQ(filter.Feed("\xb8\xad\nend\n"), "中\nend\n");
  EXPECT_EQ(filter.Finish(), "");
}

TEST(TerminalFilter, LetsProgressBarsReturnToTheStartOfTheirLine) {
  TerminalFilter filter;
  EXPECT_EQ(filter.Feed("10 %\r20 %\r\n"), "10 %\r20 %\r\n");
}

TEST(TerminalFilter, ReplacesWhatIsNoText) {
  TerminalFilter filter;
  EXPECT_EQ(filter.Feed("ok\n\xff\n"), "ok\n\xEF\xBF\xBD\n");
  EXPECT_EQ(filter.Feed("\033[31m").find('\033'), std::string::npos);
  EXPECT_EQ(filter.Feed("\xe4\xb8"), "");
  EXPECT_TRUE(IsValidUtf8(filter.Finish())) << "a character that never ends";
}

TEST(TerminalFilter, ColoursPassWhereThereAreAnyAndAreSwitchedOff) {
  TerminalFilter color(true);
  EXPECT_EQ(color.Feed("\033[1;31mred"), "\033[1;31mred");
  EXPECT_EQ(color.Finish(), "\033[0m");
  EXPECT_EQ(color.Feed("\033[31mred\033[0m"), "\033[31mred\033[0m");
  EXPECT_EQ(color.Finish(), "");
  TerminalFilter plain;
  EXPECT_EQ(plain.Feed("\033[1;31mred\033[0m") + plain.Finish(), "red");
}

TEST(TerminalFilter, SequencesThatMoveAboutOrSpeakToTheTerminalAreLeftOut) {
  TerminalFilter filter(true);
  EXPECT_EQ(filter.Feed("a\033[2J\033[3A\033[6n\033[?25lb"), "ab");
  EXPECT_EQ(filter.Feed("a\033]0;title\ab\033]8;;http://x\033\\c"), "abc");
  EXPECT_EQ(filter.Feed("\r\033[Kagain"), "\r\033[Kagain");
  EXPECT_EQ(filter.Feed("\033[?1mx"), "x") << "a private mode is no colour";
  EXPECT_EQ(filter.Finish(), "");
}

TEST(TerminalFilter, ASequenceThatNeverEndsIsText) {
  TerminalFilter filter;
  EXPECT_EQ(filter.Feed("a\033["), "a");
  EXPECT_EQ(filter.Finish(), "\xEF\xBF\xBD[");
  const std::string text = filter.Feed("\033]" + std::string(1'000, 'x'));
  EXPECT_EQ(text, "\xEF\xBF\xBD]" + std::string(1'000, 'x'));
}

TEST(DropOverwritten, ABarDrawnOftenIsDrawnOnce) {
  EXPECT_EQ(DropOverwritten(" 1 %\r 2 %\r 3 %\ndone\n"), "\r 3 %\ndone\n");
  EXPECT_EQ(DropOverwritten("10 %\r20 %\r"), "\r20 %\r");
  EXPECT_EQ(DropOverwritten("no bar\nat all"), "no bar\nat all");
  EXPECT_EQ(DropOverwritten("dos\r\nlines\r\n"), "dos\r\nlines\r\n");
  EXPECT_EQ(DropOverwritten(""), "");
}

TEST(DropOverwritten, WhatIsStillSeenOfAWiderStateStays) {
  EXPECT_EQ(DropOverwritten("a long line\rab\rabc\n"), "a long line\rabc\n");
  EXPECT_EQ(DropOverwritten("王芳王芳\r12345678\n"), "\r12345678\n");
  EXPECT_EQ(DropOverwritten("\033[32m##\033[0m\r\033[32m###\033[0m\n"), "\r\033[32m###\033[0m\n");
  EXPECT_EQ(DropOverwritten("a long line\r\033[Kab\n"), "\r\033[Kab\n");
}

RC_GTEST_PROP(TerminalFilter, SaysTheSameHoweverTheBytesAreCut, (std::string bytes)) {
  TerminalFilter whole;
  std::string expected = whole.Feed(bytes);
  expected += whole.Finish();
  TerminalFilter cut;
  std::string got;
  for (const char c : bytes) got += cut.Feed(std::string(1, c));
  got += cut.Finish();
  RC_ASSERT(got == expected);
  RC_ASSERT(IsValidUtf8(got));
}

}  // namespace
}  // namespace pinka::cli
