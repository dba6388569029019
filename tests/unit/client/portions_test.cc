#include "client/cli/core/portions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Shares, AreReadAsPeopleWriteThem) {
  const auto shares = ParseShares("alice=1,王芳=2.5,a=b=0");
  ASSERT_TRUE(shares.ok()) << Message(shares.status());
  EXPECT_THAT(*shares, ElementsAre(Pair("alice", "1.000000"), Pair("王芳", "2.500000"),
                                   Pair("a=b", "0.000000")));
}

TEST(Shares, AreRefusedWithTheOneThatIsWrong) {
  for (const char* bad : {"", "alice", "alice=", "=1", "alice=x", "alice=-1", "alice=1,,bob=1"})
    EXPECT_FALSE(ParseShares(bad).ok()) << bad;
  EXPECT_THAT(Message(ParseShares("alice=1,bob").status()), HasSubstr("'bob' is no share"));
}

TEST(Names, AreSplitAtCommas) {
  EXPECT_THAT(*ParseNames("alice,王芳"), ElementsAre("alice", "王芳"));
  EXPECT_FALSE(ParseNames("alice,").ok());
}

TEST(Hours, ReadLikeHours) {
  EXPECT_EQ(HoursText("12.500000"), "12.50 h");
  EXPECT_EQ(HoursText(""), "-");
}

}  // namespace
}  // namespace pinka::cli
