#include "client/cli/core/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "client/cli/core/parser.h"
#include "client/cli/core/registry.h"
#include "client/cli/core/shell_words.h"

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(MainHelp, FitsOneScreen) {
  const std::vector<std::string> lines = Lines(MainHelp(AllCommands()));
  EXPECT_LE(lines.size(), 30u);
  EXPECT_GE(lines.size(), 24u);
  for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), 80) << line;
}

TEST(MainHelp, NamesEveryCommand) {
  const Commands commands = AllCommands();
  const std::string help = MainHelp(commands);
  for (const auto& command : commands) {
    std::string word = command->Describe().path;
    if (word.starts_with("admin ")) word = word.substr(6);
    word = word.substr(0, word.find(' '));
    EXPECT_THAT(help, HasSubstr(word + " "));
  }
}

TEST(CommandHelp, FitsTheWidthAndHasAnExample) {
  for (const auto& command : AllCommands()) {
    Options options;
    command->Declare(options);
    const Description description = command->Describe();
    const std::string help = CommandHelp(description, options);
    EXPECT_THAT(help, HasSubstr("Example:\n  pinka " + description.path));
    for (const std::string& line : Lines(help)) EXPECT_LE(DisplayWidth(line), 100) << line;
  }
}

// The words of an example up to what the shell would take for itself.
std::vector<std::string> ExampleWords(const std::string& example) {
  std::vector<std::string> words = *SplitShellWords(example);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "&&" || words[i] == ">" || words[i] == "<") words.resize(i);
  }
  words.erase(words.begin());
  return words;
}

TEST(CommandHelp, ExamplesAreUnderstood) {
  const Commands commands = AllCommands();
  for (const auto& command : commands) {
    const std::string example = command->Describe().example;
    const auto found = FindCommand(commands, ExampleWords(example));
    ASSERT_TRUE(found.ok()) << example;
    ASSERT_EQ(found->command, command.get()) << example;
    Globals globals;
    Options options;
    DeclareGlobals(options, &globals);
    command->Declare(options);
    const Status parsed = ParseWords(options, found->words);
    EXPECT_TRUE(parsed.ok()) << example << ": " << Message(parsed);
  }
}

}  // namespace
}  // namespace pinka::cli
