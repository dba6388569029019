// Devices hidden from a real process in a real control group of this machine; /dev/full stands for
// somebody else's card.
#include "agent/process/devices.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace pinka {
namespace {

constexpr DeviceNumber kFull{.major = 1, .minor = 7};

// What a child in the group finds: 0 it can open the file, 1 it may not, 2 something else.
int OpenInside(const Cgroup& group, const char* file) {
  std::vector<Fd> procs = group.OpenProcs();
  pid_t child = fork();
  if (child == 0) {
    for (const Fd& fd : procs) {
      if (write(fd.get(), "0", 1) != 1) _exit(2);
    }
    int fd = open(file, O_RDWR);
    _exit(fd >= 0 ? 0 : errno == EPERM ? 1 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// This machine's groups, those whose directory has `file`.
Cgroup GroupsWith(const char* file) {
  Cgroup all(Cgroup::PathsFor("pinka-devices-test-" + std::to_string(getpid())));
  all.Create();
  std::vector<std::string> paths;
  for (const std::string& path : all.paths()) {
    if (PathExists(path + "/" + file)) {
      paths.push_back(path);
    } else {
      Cgroup({path}).Remove();
    }
  }
  return Cgroup(paths);
}

class HidesDevices : public testing::TestWithParam<const char*> {};
TEST_P(HidesDevices, FromWhatRunsInTheGroupAndFromNobodyElse) {
  Cgroup group = GroupsWith(GetParam());
  if (!group.exists()) GTEST_SKIP() << "no such control group on this machine";
  EXPECT_EQ(OpenInside(group, "/dev/full"), 0);
  bool hidden = HideDevices(group, {{.major = 195, .minor = 0}, kFull});
  int inside = OpenInside(group, "/dev/full");
  int other = OpenInside(group, "/dev/null");
  group.Remove();
  ASSERT_TRUE(hidden);
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(other, 0);
  EXPECT_GE(open("/dev/full", O_RDWR | O_CLOEXEC), 0);
}
INSTANTIATE_TEST_SUITE_P(Cgroup, HidesDevices,
                         testing::Values("devices.deny", "cgroup.controllers"));

TEST(Devices, WithoutGroupsNothingIsHiddenAndThatIsSaid) {
  EXPECT_FALSE(HideDevices(Cgroup(), {kFull}));
  EXPECT_TRUE(HideDevices(Cgroup(), {}));
}

TEST(Devices, NumbersComeBackFromTheirText) {
  DeviceNumber device;
  EXPECT_TRUE(ParseDeviceNumber("195:12", &device));
  EXPECT_EQ(device, (DeviceNumber{.major = 195, .minor = 12}));
  EXPECT_EQ(ToString(device), "195:12");
  for (const char* bad : {"", "195", "195:", ":1", "195:1x", "a:1", "195:1 "}) {
    EXPECT_FALSE(ParseDeviceNumber(bad, &device)) << bad;
  }
}

}  // namespace
}  // namespace pinka
