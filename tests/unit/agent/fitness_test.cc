#include "agent/fitness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "base/file.h"
#include "tests/support/agent/files.h"
#include "tests/support/agent/small_disk.h"

namespace pinka::test {
namespace {

using testing::HasSubstr;

TEST(Fitness, ABoxIsUnfitBelowItsFloorAndFitAgainAboveIt) {
  TempDir temp;
  SmallDisk disk(temp.path() + "/disk", "size=10m");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount here";
  std::string place = temp.path() + "/disk";
  Fitness fitness({place}, 4 << 20);
  EXPECT_EQ(fitness.Look(false, {}), "");
  Spill(place + "/a", std::string(7 << 20, 'a'));
  EXPECT_EQ(fitness.Look(false, {}), place + " has less than 4M of room left");
  Spill(place + "/a", std::string((5 << 20) + (1 << 19), 'a'));
  EXPECT_THAT(fitness.Look(false, {}), HasSubstr("less than 4M")) << "a little more than the floor";
  Spill(place + "/a", "");
  EXPECT_EQ(fitness.Look(false, {}), "");
  EXPECT_THAT(Fitness({temp.path() + "/none"}, 1).Look(false, {}),
              HasSubstr("cannot be looked at"));
}

TEST(Fitness, FilesAndWritingCountAsWell) {
  TempDir temp;
  SmallDisk few(temp.path() + "/few", "size=10m,nr_inodes=100");
  SmallDisk fixed(temp.path() + "/fixed", "size=10m,ro");
  if (!few.mounted()) GTEST_SKIP() << "may not mount here";
  EXPECT_THAT(Fitness({temp.path() + "/few"}, 1).Look(false, {}),
              HasSubstr("hardly any more files"));
  std::string place = temp.path() + "/fixed";
  ASSERT_EQ(mount(nullptr, place.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  EXPECT_THAT(Fitness({place}, 1).Look(false, {}), HasSubstr("can only be read"));
}

TEST(Fitness, ADiskThatTookNothingIsAskedAgainUntilItDoes) {
  TempDir temp;
  SmallDisk disk(temp.path() + "/disk", "size=100k");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount here";
  Fitness fitness({temp.path() + "/disk"}, 0);
  EXPECT_EQ(fitness.Look(false, Duration::Seconds(1)), "") << "no floor, no suspicion";
  EXPECT_THAT(fitness.Look(true, Duration::Seconds(2)), HasSubstr("No space left on device"));
  EXPECT_FALSE(PathExists(temp.path() + "/disk/.room"));
  std::string options = "size=10m";
  ASSERT_EQ(mount("tmpfs", (temp.path() + "/disk").c_str(), "tmpfs", MS_REMOUNT, options.c_str()),
            0);
  EXPECT_NE(fitness.Look(false, Duration::Seconds(3)), "") << "not asked again so soon";
  EXPECT_EQ(fitness.Look(false, Duration::Seconds(13)), "");
}

}  // namespace
}  // namespace pinka::test
