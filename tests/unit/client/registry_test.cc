#include "client/cli/core/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FindCommand, FindsTheLongestPath) {
  const Commands commands = AllCommands();
  const auto found = FindCommand(commands, {"--server", "h:1", "config", "use", "local"});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->command->Describe().path, "config use");
  EXPECT_THAT(found->words, ElementsAre("--server", "h:1", "local"));
  EXPECT_EQ(FindCommand(commands, {"config"})->command->Describe().path, "config");
  EXPECT_EQ(FindCommand(commands, {"admin", "node", "rm", "n1"})->command->Describe().path,
            "admin node rm");
}

TEST(FindCommand, NamesTheNearest) {
  EXPECT_THAT(Message(FindCommand(AllCommands(), {"sbumit"}).status()), HasSubstr("pinka submit?"));
  EXPECT_THAT(Message(FindCommand(AllCommands(), {"admin", "depsoit"}).status()),
              HasSubstr("pinka admin deposit?"));
}

TEST(FindCommand, TakesNoCommandForHelp) {
  const Commands commands = AllCommands();
  EXPECT_EQ(FindCommand(commands, {})->command, nullptr);
  EXPECT_EQ(FindCommand(commands, {"--help"})->command, nullptr);
  EXPECT_EQ(FindCommand(commands, {"help"})->command, nullptr);
  EXPECT_EQ(FindCommand(commands, {"admin", "member"})->partial, "admin member");
  const auto help = FindCommand(commands, {"help", "ls"});
  EXPECT_EQ(help->command->Describe().path, "ls");
  EXPECT_THAT(help->words, ElementsAre("--help"));
}

}  // namespace
}  // namespace pinka::cli
