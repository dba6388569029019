#include "client/cli/core/env_vars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseEnvVar, SplitsAtTheFirstEqualsOnly) {
  EXPECT_EQ(*ParseEnvVar("L=first,second"), (EnvVar{"L", "first,second"}));
  EXPECT_EQ(*ParseEnvVar("E=x=y=z"), (EnvVar{"E", "x=y=z"}));
  EXPECT_EQ(*ParseEnvVar("Q=\"quoted\""), (EnvVar{"Q", "\"quoted\""}));
  EXPECT_EQ(*ParseEnvVar("EMPTY="), (EnvVar{"EMPTY", ""}));
  EXPECT_EQ(*ParseEnvVar("NOTE=line1\nPATH=/evil"), (EnvVar{"NOTE", "line1\nPATH=/evil"}));
}

TEST(ParseEnvVar, TakesExportedBashFunctions) {
  EXPECT_EQ(ParseEnvVar("BASH_FUNC_hi%%=() { echo \"a;b\"\n}")->name, "BASH_FUNC_hi%%");
}

TEST(ParseEnvVar, RefusesBadNamesAndNul) {
  for (const std::string& bad :
       {std::string("NOEQUALS"), std::string("1A=x"), std::string("=x"), std::string("A B=x"),
        std::string("BASH_FUNC_%%=x"), std::string("A-B=x"), std::string("A=\0", 3)}) {
    EXPECT_FALSE(ParseEnvVar(bad).ok()) << bad;
  }
}

TEST(ParseEnvVar, NeverRepeatsAValue) {
  EXPECT_THAT(Message(ParseEnvVar("1A=s3cr3t-93").status()), Not(HasSubstr("s3cr3t")));
  EXPECT_THAT(Message(ParseEnvVar("s3cr3t-93").status()), Not(HasSubstr("s3cr3t")));
}

TEST(ParseEnvFile, ReadsPlainAndQuotedValues) {
  const auto vars = ParseEnvFile(
      "# keys\n"
      "\n"
      "A=1\n"
      "  export B=two words \n"
      "C='first\n"
      "second'\n"
      "D=\"tab\\there \\\"q\\\" \\\\ \\x\"  \n"
      "E=a,'b'\r\n"
      "F=",
      "f.env");
  ASSERT_TRUE(vars.ok()) << Message(vars.status());
  EXPECT_THAT(
      *vars,
      ElementsAre(EnvVar{"A", "1"}, EnvVar{"B", "two words "}, EnvVar{"C", "first\nsecond"},
                  EnvVar{"D", "tab\there \"q\" \\ \\x"}, EnvVar{"E", "a,'b'"}, EnvVar{"F", ""}));
}

TEST(ParseEnvFile, NamesTheLineOfAMistake) {
  EXPECT_THAT(Message(ParseEnvFile("A=1\nNOPE\n", "f.env").status()), HasSubstr("f.env:2:"));
  EXPECT_THAT(Message(ParseEnvFile("A=1\nB='x\ny\n", "f.env").status()),
              HasSubstr("f.env:2: the quote that begins here"));
  EXPECT_THAT(Message(ParseEnvFile("A='1' 2\n", "f.env").status()), HasSubstr("f.env:1:"));
  EXPECT_THAT(Message(ParseEnvFile("A='x\ny'\n1B=2\n", "f.env").status()), HasSubstr("f.env:3:"));
}

TEST(ParseEnvFile, LastOfANameWins) {
  EXPECT_THAT(*ParseEnvFile("A=1\nB=2\nA=3\n", "f"),
              ElementsAre(EnvVar{"A", "3"}, EnvVar{"B", "2"}));
}

RC_GTEST_PROP(ParseEnvFile, GivesBackAnyValueInSingleQuotes, (std::string value)) {
  std::erase_if(value, [](char c) { return c == '\'' || c == '\0'; });
  const auto vars = ParseEnvFile("A='" + value + "'\nB=1\n", "f");
  RC_ASSERT(vars.ok());
  RC_ASSERT(vars->size() == 2u);
  RC_ASSERT(vars->at(0).value == value);
}

}  // namespace
}  // namespace pinka::cli
