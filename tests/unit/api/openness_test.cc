#include "scheduler/api/openness.h"

#include <gtest/gtest.h>

#include "pinka/v1/agent.pb.h"
#include "scheduler/api/convert_job.h"

namespace pinka::api {
namespace {

constexpr JobPart kParts[] = {JobPart::kQueue, JobPart::kById, JobPart::kText, JobPart::kCommand,
                              JobPart::kEnv,   JobPart::kLogs, JobPart::kMoney};
constexpr Openness kAll[] = {Openness::kClosed, Openness::kQueue, Openness::kOpen};

TEST(OpennessTable, ClosedShowsNothing) {
  for (JobPart part : kParts) EXPECT_FALSE(OthersMaySee(Openness::kClosed, part));
}

TEST(OpennessTable, QueueShowsTheLineOnly) {
  for (JobPart part : kParts)
    EXPECT_EQ(OthersMaySee(Openness::kQueue, part), part == JobPart::kQueue);
}

TEST(OpennessTable, OpenHidesValuesOfVariables) {
  for (JobPart part : kParts) EXPECT_EQ(OthersMaySee(Openness::kOpen, part), part != JobPart::kEnv);
}

TEST(OpennessTable, OwnersSeeAllAndAdminsAllButValues) {
  const Principal owner{MemberId(1), "alice", false, "", {}};
  const Principal admin{MemberId(2), "ann", true, "", {}};
  const Principal other{MemberId(3), "bob", false, "", {}};
  for (Openness openness : kAll) {
    for (JobPart part : kParts) {
      EXPECT_TRUE(View(owner, MemberId(1), openness).Sees(part));
      EXPECT_EQ(View(admin, MemberId(1), openness).Sees(part), part != JobPart::kEnv);
      EXPECT_EQ(View(other, MemberId(1), openness).Sees(part), OthersMaySee(openness, part));
    }
  }
}

TEST(OpennessTable, AForeignLineHasNoNameNorMoney) {
  Board board;
  db::JobLine line;
  line.id = JobId(17);
  line.name = "secret plan";
  line.comment = "private";
  line.user = "alice";
  line.tier = "t4";
  line.chdir = "/home/alice";
  line.project = "hidden";
  line.charged = Money::Whole(5);
  line.counts.resize(kTaskStates);
  const Principal bob{MemberId(3), "bob", false, "", {}};
  v1::Job job;
  FillJob(line, View(bob, MemberId(1), Openness::kQueue), board, &job);
  EXPECT_EQ(job.user(), "alice");
  EXPECT_EQ(job.tier(), "t4");
  const std::string all = job.ShortDebugString();
  for (const char* word : {"secret", "private", "home", "hidden", "5.000000"})
    EXPECT_EQ(all.find(word), std::string::npos) << word;
}

TEST(OpennessTable, ValuesComeToTheOwnerAndOnlyWhenAskedFor) {
  v1::Payload payload;
  payload.add_argv("true");
  payload.add_env("WANDB_API_KEY=s3cr3t-93");
  const std::string bytes = payload.SerializeAsString();
  const auto shown = [&](const Principal& who, Openness openness, bool values) {
    v1::Job job;
    FillPayload(bytes, View(who, MemberId(1), openness), values, &job);
    return job.ShortDebugString();
  };
  const Principal owner{MemberId(1), "alice", false, "", {}};
  const Principal admin{MemberId(2), "ann", true, "", {}};
  const Principal other{MemberId(3), "bob", false, "", {}};
  EXPECT_NE(shown(owner, Openness::kQueue, true).find("s3cr3t-93"), std::string::npos);
  EXPECT_EQ(shown(owner, Openness::kQueue, false).find("s3cr3t-93"), std::string::npos);
  for (Openness openness : kAll) {
    EXPECT_EQ(shown(admin, openness, true).find("s3cr3t-93"), std::string::npos);
    EXPECT_EQ(shown(other, openness, true).find("s3cr3t-93"), std::string::npos);
  }
}

}  // namespace
}  // namespace pinka::api
