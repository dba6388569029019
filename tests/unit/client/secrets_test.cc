#include "client/cli/core/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Hidden(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  HideSecretArguments(static_cast<int>(argv.size()), argv.data());
  return words;
}

TEST(HideSecretArguments, OverwritesValuesOnly) {
  EXPECT_THAT(Hidden({"pinka", "submit", "--env", "A=s3c", "--env=B=p4s", "--token", "tok",
                      "--name", "n=1", "--", "--env", "C=run"}),
              ElementsAre("pinka", "submit", "--env", "A=xxx", "--env=B=xxx", "--token", "xxx",
                          "--name", "n=1", "--", "--env", "C=run"));
}

TEST(HideSecretArguments, SurvivesAMissingValue) {
  EXPECT_THAT(Hidden({"pinka", "--token"}), ElementsAre("pinka", "--token"));
  EXPECT_THAT(Hidden({"pinka", "--env", "NOEQUALS"}), ElementsAre("pinka", "--env", "NOEQUALS"));
}

}  // namespace
}  // namespace pinka::cli
