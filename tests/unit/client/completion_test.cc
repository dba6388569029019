#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/core/completion_script.h"
#include "client/cli/core/registry.h"

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;

TEST(CompletionScript, KnowsCommandsVerbsAndOptions) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = CompletionScript(AllCommands(), shell);
    ASSERT_TRUE(script.ok()) << shell;
    EXPECT_THAT(*script, HasSubstr("submit")) << shell;
    EXPECT_THAT(*script, HasSubstr("join-token")) << shell;
    EXPECT_THAT(*script, HasSubstr("--requeue-exit")) << shell;
  }
}

TEST(CompletionScript, RefusesOtherShells) {
  EXPECT_FALSE(CompletionScript(AllCommands(), "tcsh").ok());
}

}  // namespace
}  // namespace pinka::cli
