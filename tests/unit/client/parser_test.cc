#include "client/cli/core/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

struct Line {
  Line() {
    options.Flag("-f,--follow", "", &follow);
    options.Value("-n,--name", "N", "", &name);
    options.List("--env", "E", "", &env);
  }
  Options options;
  bool follow = false;
  std::string name;
  std::vector<std::string> env;
  std::vector<std::string> rest;
};

TEST(ParseWords, ReadsFlagsValuesAndLists) {
  Line line;
  ASSERT_TRUE(ParseWords(line.options, {"-f", "--name=x", "--env", "A=1", "--env=B=2"}).ok());
  EXPECT_TRUE(line.follow);
  EXPECT_EQ(line.name, "x");
  EXPECT_THAT(line.env, ElementsAre("A=1", "B=2"));
}

TEST(ParseWords, KeepsValuesAsTheyStand) {
  for (const char* value : {"", "{}", "[a,b]", "a,b", "-x", "--", "--follow", "a  b", "\"q\"", "%",
                            "a\nb", "--name", "=", "\xff"}) {
    Line apart;
    ASSERT_TRUE(ParseWords(apart.options, {"--name", value, "-f"}).ok()) << value;
    EXPECT_EQ(apart.name, value);
    EXPECT_TRUE(apart.follow) << value;
    Line joined;
    ASSERT_TRUE(ParseWords(joined.options, {std::string("--name=") + value, "-f"}).ok()) << value;
    EXPECT_EQ(joined.name, value);
    EXPECT_TRUE(joined.follow) << value;
  }
}

TEST(ParseWords, LetsSomeValuesBeLeftOut) {
  const auto read = [](const std::vector<std::string>& words) {
    Line line;
    std::string csv;
    line.options.ValueOr("--csv", "FILE", "", std::string("-"), &csv);
    EXPECT_TRUE(ParseWords(line.options, words).ok());
    return csv + (line.follow ? " f" : "");
  };
  EXPECT_EQ(read({"--csv"}), "-");
  EXPECT_EQ(read({"--csv", "-f"}), "- f");
  EXPECT_EQ(read({"--csv", "-", "-f"}), "- f");
  EXPECT_EQ(read({"--csv", "a.csv", "-f"}), "a.csv f");
  EXPECT_EQ(read({"--csv=-a.csv", "-f"}), "-a.csv f");
  EXPECT_EQ(read({"-f"}), " f");
}

TEST(ParseWords, LeavesTheRestUntouched) {
  Line line;
  line.options.Rest("COMMAND", "", &line.rest);
  ASSERT_TRUE(ParseWords(line.options, {"--name", "n", "--", "sh", "-c", "--name", "", "--"}).ok());
  EXPECT_EQ(line.name, "n");
  EXPECT_THAT(line.rest, ElementsAre("--", "sh", "-c", "--name", "", "--"));
}

TEST(ParseWords, GivesAllBehindAScriptToTheScript) {
  Line line;
  line.options.Rest("COMMAND", "", &line.rest);
  ASSERT_TRUE(ParseWords(line.options, {"-f", "s.sh", "--name=x", "--", "-f", "--bogus"}).ok());
  EXPECT_EQ(line.name, "");
  EXPECT_THAT(line.rest, ElementsAre("s.sh", "--name=x", "--", "-f", "--bogus"));
}

RC_GTEST_PROP(ParseWords, GivesBackAnyCommand, (std::vector<std::string> command)) {
  for (std::string& word : command) std::erase(word, '\0');
  Line line;
  line.options.Rest("COMMAND", "", &line.rest);
  std::vector<std::string> words = {"--name", "n", "--"};
  words.insert(words.end(), command.begin(), command.end());
  RC_ASSERT(ParseWords(line.options, words).ok());
  RC_ASSERT(line.rest.size() == command.size() + 1);
  RC_ASSERT(std::equal(command.begin(), command.end(), line.rest.begin() + 1));
}

TEST(ParseWords, TakesANegativeAmountForAWord) {
  for (const char* amount : {"-1.50", "-2", "-.5"}) {
    Line line;
    std::string entry;
    std::string taken;
    line.options.Positional("ENTRY", "", &entry);
    line.options.Positional("AMOUNT", "", &taken);
    ASSERT_TRUE(ParseWords(line.options, {"1204", amount, "--name", "x", "-f"}).ok()) << amount;
    EXPECT_EQ(entry, "1204");
    EXPECT_EQ(taken, amount);
    EXPECT_TRUE(line.follow);
  }
  Line line;
  std::string entry;
  line.options.Positional("ENTRY", "", &entry);
  for (const char* word : {"-1x", "-.", "-x1"}) {
    EXPECT_FALSE(ParseWords(line.options, {word}).ok()) << word;
  }
}

TEST(ParseWords, NamesTheNearestOfAnUnknownOption) {
  Line line;
  EXPECT_EQ(Message(ParseWords(line.options, {"--nmae", "x"})),
            "unknown option --nmae; did you mean --name?");
  line.options.Rest("COMMAND", "", &line.rest);
  EXPECT_THAT(Message(ParseWords(line.options, {"--folow", "--", "x"})), HasSubstr("--follow"));
}

TEST(ParseWords, RefusesWhatIsMissingOrTooMuch) {
  Line line;
  EXPECT_FALSE(ParseWords(line.options, {"--name"}).ok());
  EXPECT_THAT(Message(ParseWords(line.options, {"extra"})), HasSubstr("'extra'"));
  std::string id;
  line.options.Positional("ID", "", &id);
  EXPECT_THAT(Message(ParseWords(line.options, {"-f"})), HasSubstr("ID is missing"));
  EXPECT_TRUE(ParseWords(line.options, {"36_[1-3,7]", "-f"}).ok());
  EXPECT_EQ(id, "36_[1-3,7]");
  EXPECT_FALSE(ParseWords(line.options, {"1", "2"}).ok());
}

TEST(ParseWords, TakesManyPositionals) {
  Options options;
  std::vector<std::string> ids;
  bool yes = false;
  options.Positionals("ID", "", &ids);
  options.Flag("-y", "", &yes);
  ASSERT_TRUE(ParseWords(options, {"1", "-y", "2_[3]", "3"}).ok());
  EXPECT_THAT(ids, ElementsAreArray({"1", "2_[3]", "3"}));
  EXPECT_TRUE(yes);
}

TEST(ParseWords, PutsTheOptionBeforeItsRefusal) {
  Options options;
  options.Custom("--time", "D", "", [](const std::string&) { return Invalid("too short"); });
  EXPECT_EQ(Message(ParseWords(options, {"--time", "1s"})), "--time: too short");
}

}  // namespace
}  // namespace pinka::cli
