#include "client/cli/core/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;

TEST(SplitShellWords, ReadsQuotesAndComments) {
  EXPECT_THAT(*SplitShellWords(R"( --a 'b  c' "d \"e\" \n" f\ g ''  h#i # rest)"),
              ElementsAre("--a", "b  c", "d \"e\" \\n", "f g", "", "h#i"));
  EXPECT_TRUE(SplitShellWords("  \t ")->empty());
}

TEST(SplitShellWords, RefusesAnOpenQuote) {
  EXPECT_FALSE(SplitShellWords("a 'b").ok());
  EXPECT_FALSE(SplitShellWords("a \"b").ok());
}

RC_GTEST_PROP(SplitShellWords, ReadsBackWhatWasQuoted, (std::string word)) {
  std::erase_if(word, [](char c) { return c == '\'' || c == '\n'; });
  const auto words = SplitShellWords("'" + word + "' x");
  RC_ASSERT(words.ok());
  RC_ASSERT(*words == (std::vector<std::string>{word, "x"}));
}

}  // namespace
}  // namespace pinka::cli
