// What the job writes: every byte up to the last, in order, and never more than the limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "tests/support/agent/attempt_run.h"

namespace pinka::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(SupervisorLog, TheLastLinesAreThere) {
  AttemptRun run({"python3", "-c", "import sys\nfor i in range(100000): print(i)\nsys.exit(3)"});
  EXPECT_EQ(run.Finish().code, 3);
  std::string expected;
  for (int i = 0; i < 100'000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(Sha256Hex(run.Log()), Sha256Hex(expected));
  EXPECT_EQ(run.dir().ReadExit()->log_bytes, static_cast<int64_t>(expected.size()));
}

TEST(SupervisorLog, BytesAreBytes) {
  AttemptRun run({"printf", "ok\\n\\377\\376\\000\\n\\344\\270\\255\\nend\\n"});
  EXPECT_EQ(run.Finish().code, 0);
  EXPECT_EQ(run.Log(), std::string("ok\n\xff\xfe\0\n\xe4\xb8\xad\nend\n", 15));
}

TEST(SupervisorLog, OutputAndErrorsAreInTheOrderWritten) {
  AttemptRun run({"sh", "-c", "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done"});
  run.Finish();
  EXPECT_EQ(run.Log(), "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n");
}

TEST(SupervisorLog, AnEnormousLineIsWhole) {
  AttemptRun run({"sh", "-c", "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end"});
  EXPECT_EQ(run.Finish().code, 0);
  EXPECT_EQ(Sha256Hex(run.Log()), Sha256Hex(std::string(20'000'000, 'x') + "\nend\n"));
}

TEST(SupervisorLog, AFloodIsCutAtTheLimitAndTheJobNeverFeelsIt) {
  AttemptRun run({"sh", "-c", "head -c 30000000 /dev/zero && exit 5"});
  run.order.log_limit_bytes = 1'000'000;
  Exit exit = run.Finish();
  EXPECT_EQ(exit.code, 5);
  std::string mark = "\n[pinka: log limit of 1000000 bytes reached, 29000000 bytes dropped]\n";
  EXPECT_EQ(run.Log().size(), 1'000'000 + mark.size());
  EXPECT_THAT(run.Log(), EndsWith(mark));
  EXPECT_EQ(exit.log_bytes, static_cast<int64_t>(run.Log().size()));
}

TEST(SupervisorLog, ExactlyTheLimitHasNoMark) {
  AttemptRun run({"head", "-c", "1000", "/dev/zero"});
  run.order.log_limit_bytes = 1'000;
  run.Finish();
  EXPECT_EQ(run.Log(), std::string(1'000, '\0'));
}

TEST(SupervisorLog, WhatACancelledJobWroteUpToTheKillIsThere) {
  AttemptRun run({"sh", "-c",
                  "trap 'echo last words' TERM; echo first; touch $MARKS/up; "
                  "while :; do sleep 0.02; done"});
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  run.Stop("Cancel", 300);
  ASSERT_TRUE(run.WaitExit().has_value());
  EXPECT_THAT(run.Log(), HasSubstr("last words\n"));
}

}  // namespace
}  // namespace pinka::test
