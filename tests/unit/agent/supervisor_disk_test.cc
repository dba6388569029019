// A disk that is full: the job ends as such, its log has a mark, and the end is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "tests/support/agent/attempt_run.h"
#include "tests/support/agent/small_disk.h"

namespace pinka::test {
namespace {

using testing::EndsWith;

TEST(SupervisorDisk, AFullDiskEndsTheJobAndTheEndIsKept) {
  AttemptRun run({"sh", "-c", "head -c 20000000 /dev/zero; sleep 600"});
  SmallDisk disk(run.dir().path(), "size=1m");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount here";
  Exit exit = run.Finish();
  EXPECT_EQ(exit.reason, "DiskFull");
  EXPECT_EQ(exit.message, "its log could not be written: No space left on device");
  EXPECT_THAT(run.Log(), EndsWith(" bytes dropped]\n"));
  EXPECT_EQ(exit.log_bytes, static_cast<int64_t>(run.Log().size()));
}

TEST(SupervisorDisk, NoMoreFilesIsNoReasonToLoseTheEnd) {
  AttemptRun run({"sh", "-c",
                  "touch $MARKS/up; while [ ! -e $MARKS/go ]; do sleep 0.02; done; "
                  "exit 6"});
  SmallDisk disk(run.dir().path(), "size=10m,nr_inodes=12");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount here";
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  for (int n = 0; n < 12; ++n) Spill(run.dir().path() + "/x" + std::to_string(n), "");
  Spill(run.Marks() + "/go", "");
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 6);
}

TEST(SupervisorDisk, AnEndWaitsForADiskThatTakesIt) {
  AttemptRun run({"sh", "-c",
                  "touch $MARKS/up; while [ ! -e $MARKS/go ]; do sleep 0.02; done; "
                  "exit 6"});
  SmallDisk disk(run.dir().path(), "size=10m");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount here";
  ASSERT_EQ(run.Start(), 0);
  ASSERT_TRUE(WaitForFile(run.Marks() + "/up"));
  // Another one over it, which takes nothing.
  const char* place = run.dir().path().c_str();
  ASSERT_EQ(mount("tmpfs", place, "tmpfs", MS_RDONLY, "size=1m"), 0);
  Spill(run.Marks() + "/go", "");
  EXPECT_FALSE(WaitForFile(run.dir().path() + "/exit", 2));
  ASSERT_EQ(umount2(place, MNT_DETACH), 0);
  std::optional<Exit> exit = run.WaitExit();
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 6);
}

}  // namespace
}  // namespace pinka::test
