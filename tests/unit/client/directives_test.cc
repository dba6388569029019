#include "client/cli/core/directives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ReadDirectives, ReadsOptionsFromTheHead) {
  const auto read = ReadDirectives(
      "#!/bin/bash\n"
      "# trains a model\n"
      "#PINKA --tier t4 --time 1h30m   # half an hour is too short\n"
      "\n"
      "#PINKA --name 'first run' --env \"A=b c\" --no-requeue\r\n"
      "echo hello\n",
      "train.sh");
  ASSERT_TRUE(read.ok()) << Message(read.status());
  EXPECT_THAT(read->fields.tiers, ElementsAre("t4"));
  EXPECT_EQ(read->fields.time_ms, 5'400'000);
  EXPECT_EQ(read->fields.name, "first run");
  EXPECT_THAT(read->fields.env, ElementsAre(EnvVar{"A", "b c"}));
  EXPECT_TRUE(read->fields.no_requeue);
  EXPECT_TRUE(read->warnings.empty());
}

TEST(ReadDirectives, RefusesAnUnknownOptionWithItsLineAndTheNearest) {
  const auto read = ReadDirectives("#!/bin/sh\n#PINKA --teir t4\n", "train.sh");
  EXPECT_EQ(Message(read.status()), "train.sh:2: unknown option --teir; did you mean --tier?");
}

TEST(ReadDirectives, RefusesABadValueWithItsLine) {
  EXPECT_THAT(Message(ReadDirectives("#!/bin/sh\n#PINKA --time 90\n", "a.sh").status()),
              HasSubstr("a.sh:2: --time"));
  EXPECT_THAT(Message(ReadDirectives("#!/bin/sh\n#PINKA --name 'x\n", "a.sh").status()),
              HasSubstr("a.sh:2: a quote"));
  EXPECT_THAT(Message(ReadDirectives("#!/bin/sh\n#PINKA t4\n", "a.sh").status()),
              HasSubstr("a.sh:2: unexpected word 't4'"));
}

TEST(ReadDirectives, StopsAtTheFirstCommandAndWarns) {
  const auto read = ReadDirectives("#!/bin/sh\necho x\n#PINKA --tier t4\n", "a.sh");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->fields.tiers.empty());
  EXPECT_THAT(read->warnings, ElementsAre(HasSubstr("a.sh:3:")));
}

TEST(ReadDirectives, WarnsOnceOfSbatchLines) {
  const auto read = ReadDirectives("#!/bin/sh\n#SBATCH -p gpu\n#SBATCH -n 1\n", "a.sh");
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->warnings, ElementsAre(HasSubstr("a.sh:2: #SBATCH")));
}

TEST(ReadDirectives, TakesOnlyTheWholeMark) {
  EXPECT_TRUE(ReadDirectives("#!/bin/sh\n#PINKAX --teir\n# PINKA --teir\n", "a.sh").ok());
}

}  // namespace
}  // namespace pinka::cli
