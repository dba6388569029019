// The smaller pieces of agent/core: environment, fence, backoff.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/answer_fence.h"
#include "agent/core/backoff.h"
#include "agent/core/environment.h"

namespace pinka {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

JobEnvironment Job() {
  JobEnvironment job;
  job.home = "/home/x";
  job.user = "x";
  job.lang = "C.UTF-8";
  job.path = "/usr/bin";
  job.lab_run = "run";
  job.attempt = {.job = JobId(17), .index = 3, .number = 2};
  job.tier = "t4";
  job.time_limit_s = 600;
  job.box_gpus = {"GPU-a", "GPU-b", "GPU-c"};
  job.gpu_uuids = {"GPU-c", "GPU-a"};
  job.notice_file = "/n";
  return job;
}

TEST(Environment, SaysWhatTheJobIsAndWhere) {
  std::vector<std::string> env = BuildEnvironment(Job());
  for (const char* entry :
       {"HOME=/home/x", "USER=x", "LANG=C.UTF-8", "PATH=/usr/bin", "PINKA_JOB_ID=17",
        "PINKA_TASK_ID=17_3", "PINKA_ATTEMPT=2", "PINKA_ATTEMPT_ID=17_3.2", "PINKA_TIER=t4",
        "PINKA_GPUS=2", "PINKA_GPU_UUIDS=GPU-c,GPU-a", "PINKA_TIME_LIMIT_S=600",
        "PINKA_NOTICE_FILE=/n", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=0,2",
        "PINKA_RESTART_COUNT=0", "PINKA_LAB_RUN=run"}) {
    EXPECT_THAT(env, Contains(entry));
  }
  EXPECT_THAT(env, Not(Contains(StartsWith("PINKA_ARRAY"))));
  EXPECT_THAT(env, Not(Contains(StartsWith("PINKA_SHARED_DIR"))));
}

TEST(Environment, NamesArraysOnlyInArrays) {
  JobEnvironment job = Job();
  job.array_size = 8;
  std::vector<std::string> env = BuildEnvironment(job);
  EXPECT_THAT(env, Contains("PINKA_ARRAY_INDEX=3"));
  EXPECT_THAT(env, Contains("PINKA_ARRAY_SIZE=8"));
}

TEST(Environment, PassesOnWhatWasAskedByteForByte) {
  JobEnvironment job = Job();
  job.asked = {"NOTE=line1\nPATH=/evil\nline3", "BASH_FUNC_hi%%=() { echo \"a;b\"\n}", "E=x=y=z",
               "EMPTY=", "Q=\"quoted\""};
  std::vector<std::string> env = BuildEnvironment(job);
  for (const auto& entry : job.asked) EXPECT_THAT(env, Contains(entry));
  EXPECT_THAT(env, Contains("PATH=/usr/bin"));
}

TEST(Environment, TheOwnerMayChangeThePathButNotWhoTheJobIs) {
  JobEnvironment job = Job();
  job.asked = {"PATH=/mine",
               "PINKA_ATTEMPT_ID=1_0.1",
               "CUDA_VISIBLE_DEVICES=0,1,2",
               "PINKA_TOKEN=mine",
               "A=payload",
               "A=task"};
  std::vector<std::string> env = BuildEnvironment(job);
  EXPECT_THAT(env, Contains("PATH=/mine"));
  EXPECT_THAT(env, Contains("PINKA_ATTEMPT_ID=17_3.2"));
  EXPECT_THAT(env, Contains("CUDA_VISIBLE_DEVICES=0,2"));
  EXPECT_THAT(env, Contains("PINKA_TOKEN=mine"));
  EXPECT_THAT(env, Contains("A=task"));
}

TEST(Environment, AJobWithoutGpusSeesNone) {
  JobEnvironment job = Job();
  job.gpu_uuids = {};
  EXPECT_THAT(BuildEnvironment(job), Contains("CUDA_VISIBLE_DEVICES="));
}

TEST(AnswerFence, DropsWhatIsNotNewer) {
  AnswerFence fence;
  EXPECT_TRUE(fence.Admit("run", 3, 10));
  EXPECT_FALSE(fence.Admit("run", 3, 10));
  EXPECT_FALSE(fence.Admit("run", 3, 9));
  EXPECT_FALSE(fence.Admit("run", 2, 99));
  EXPECT_TRUE(fence.Admit("run", 3, 11));
  EXPECT_TRUE(fence.Admit("run", 4, 1));
}

TEST(AnswerFence, ARestoredLabCountsAnew) {
  AnswerFence fence;
  EXPECT_TRUE(fence.Admit("run", 3, 10));
  EXPECT_TRUE(fence.Admit("restored", 1, 1));
  EXPECT_FALSE(fence.Admit("restored", 1, 1));
}

TEST(Backoff, DoublesUpToABoundAndSpreads) {
  Backoff backoff;
  EXPECT_EQ(backoff.Next(0), Duration::Millis(50));
  EXPECT_EQ(backoff.Next(0), Duration::Millis(100));
  for (int i = 0; i < 20; ++i) backoff.Next(0);
  EXPECT_EQ(backoff.Next(0), Duration::Seconds(5));
  for (uint64_t random : {uint64_t{1}, uint64_t{77}, UINT64_MAX}) {
    EXPECT_LE(backoff.Next(random), Duration::Seconds(10));
  }
  backoff.Succeeded();
  EXPECT_EQ(backoff.Next(0), Duration::Millis(50));
}

}  // namespace
}  // namespace pinka
