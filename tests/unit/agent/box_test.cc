#include "agent/box.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/agent/files.h"

namespace pinka {
namespace {

TEST(SimulatedGpus, HaveStableNames) {
  StatusOr<std::vector<Gpu>> gpus = SimulatedGpus("rtx3090:2,t4:1", "n1");
  ASSERT_TRUE(gpus.ok());
  ASSERT_EQ(gpus->size(), 3u);
  EXPECT_EQ((*gpus)[1].uuid, "SIM-n1-rtx3090-1");
  EXPECT_EQ((*gpus)[1].memory_mib, 24'576);
  EXPECT_EQ((*gpus)[2].name, "t4");
  EXPECT_TRUE(SimulatedGpus("", "n1")->empty());
}

TEST(SimulatedGpus, RefuseWhatIsNotCardAndCount) {
  for (const char* spec :
       {"rtx3090", "rtx3090:", ":4", "rtx3090:0", "rtx3090:65", "t4:1,,", "t4:x"}) {
    EXPECT_FALSE(SimulatedGpus(spec, "n1").ok()) << spec;
  }
}

TEST(AccountFor, NeverGivesAJobAnAccountOfTheSystem) {
  Box box;
  box.account = "pinka-job";
  box.own_accounts = true;
  for (const char* member : {"root", "daemon", "nobody", "no such person", ""}) {
    EXPECT_EQ(AccountFor(box, member).account, "pinka-job") << member;
  }
}

TEST(Box, KnowsWhereOthersCannotWalk) {
  test::TempDir temp;
  EXPECT_TRUE(IsPassable(temp.path()));
  chmod(temp.path().c_str(), 0700);
  EXPECT_FALSE(IsPassable(temp.path()));
}

}  // namespace
}  // namespace pinka
