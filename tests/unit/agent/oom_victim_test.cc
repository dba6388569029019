#include "agent/process/oom_victim.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

constexpr char kRecord[] =
    "6,4711,123456,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
    "mems_allowed=0,oom_memcg=/a/pinka-run-17_0.1,task_memcg=/a/pinka-run-17_0.1,task=python3,"
    "pid=99,uid=0\n";

TEST(OomVictim, IsReadForItsOwnGroupOnly) {
  EXPECT_EQ(VictimIn(kRecord, "pinka-run-17_0.1"), "python3");
  EXPECT_EQ(VictimIn(kRecord, "pinka-run-17_0.12"), "");
  EXPECT_EQ(VictimIn(kRecord, "run-17_0.1"), "");
}

TEST(OomVictim, MayHaveANameThatLooksLikeFields) {
  std::string record = "oom-kill:task_memcg=/g,task=a,pid=1,b,pid=99,uid=0";
  EXPECT_EQ(VictimIn(record, "g"), "a,pid=1,b");
}

TEST(OomVictim, OtherRecordsNameNobody) {
  EXPECT_EQ(VictimIn("", "g"), "");
  EXPECT_EQ(VictimIn("6,1,2,-;eth0: link up", "g"), "");
  EXPECT_EQ(VictimIn("oom-kill:task_memcg=/g", "g"), "");
  EXPECT_EQ(VictimIn("oom-kill:task_memcg=/g,task=", "g"), "");
  EXPECT_EQ(VictimIn("task_memcg=/g,task=x,pid=1", "g"), "");
  EXPECT_EQ(VictimIn("oom-kill:,task=x,pid=1", "g"), "");
}

}  // namespace
}  // namespace pinka
