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
