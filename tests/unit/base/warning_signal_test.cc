#include "base/warning_signal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka {
namespace {

using testing::HasSubstr;
using Target = WarningSignal::Target;

TEST(WarningSignal, IsUsr2TwoMinutesBeforeUnlessSaidOtherwise) {
  EXPECT_EQ(FormatWarningSignal({}), "USR2@2m");
  EXPECT_EQ(*ParseWarningSignal("USR2"), WarningSignal());
}

TEST(WarningSignal, ReadsTargetNameAndTime) {
  EXPECT_EQ(*ParseWarningSignal("USR1@90s"),
            (WarningSignal{.number = 10, .before = Duration::Seconds(90)}));
  EXPECT_EQ(*ParseWarningSignal("main:SIGINT@5m"),
            (WarningSignal{.target = Target::kMain, .number = 2, .before = Duration::Minutes(5)}));
  EXPECT_EQ(*ParseWarningSignal("all:15@1h"),
            (WarningSignal{.number = 15, .before = Duration::Hours(1)}));
}

TEST(WarningSignal, ComesBackFromItsText) {
  for (const char* text : {"USR1@1m30s", "main:TERM@10s", "HUP@1h"}) {
    EXPECT_EQ(FormatWarningSignal(*ParseWarningSignal(text)), text);
  }
}

TEST(WarningSignal, RefusesWhatNoProcessCanCatchAndWhatIsNone) {
  for (const char* text : {"KILL@60s", "SIGSTOP", "9@1m", "19"}) {
    EXPECT_THAT(Message(ParseWarningSignal(text).status()), HasSubstr("no process can catch"));
  }
  for (const char* text : {"", "USR3", "B:USR1@60s", "usr1", "0", "64", "SIG", "@2m", "RTMIN"}) {
    EXPECT_THAT(Message(ParseWarningSignal(text).status()), HasSubstr("is no signal")) << text;
  }
  EXPECT_FALSE(ParseWarningSignal("USR1@60").ok());  // a bare number of seconds
  EXPECT_FALSE(ParseWarningSignal("USR1@").ok());
}

}  // namespace
}  // namespace pinka
