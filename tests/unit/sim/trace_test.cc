#include "scheduler/sim/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kTitles[] = "submit_s,duration_s,gpus,user,gpu_type,status\n";

StatusOr<std::vector<TraceJob>> Parse(const std::string& rows) {
  return ParseTrace(kTitles + rows, "t.csv");
}

std::string Refused(const std::string& rows) {
  const auto trace = Parse(rows);
  EXPECT_FALSE(trace.ok());
  return trace.ok() ? "" : Message(trace.status());
}

TEST(Trace, ReadsLimitsAndDeadlinesWhereThereAreAny) {
  const auto trace = ParseTrace(
      "submit_s,duration_s,gpus,user,limit_s,deadline_s\n0,60,1,ann,90.5,600\n1,60,1,ann,,\n",
      "t.csv");
  ASSERT_TRUE(trace.ok()) << Message(trace.status());
  EXPECT_EQ(trace->at(0).limit_ms, 90'500);
  EXPECT_EQ(trace->at(0).deadline_ms, 600'000);
  EXPECT_LT(trace->at(1).limit_ms, 0);
  const auto bad = ParseTrace("submit_s,duration_s,gpus,user,limit_s\n0,60,1,ann,1h\n", "t.csv");
  EXPECT_THAT(Message(bad.status()), HasSubstr("line 2: limit_s is \"1h\""));
}

TEST(Trace, ReadsRowsBySubmitTime) {
  const auto trace =
      Parse("90,3600,2,ann,a100,Pass\r\n10.5,0.25,0.5,王芳,,Killed\n90,1,1,bob,x|y,\n");
  ASSERT_TRUE(trace.ok()) << Message(trace.status());
  ASSERT_EQ(trace->size(), 3u);
  const TraceJob& first = trace->at(0);
  EXPECT_EQ(first.submit_ms, 10'500);
  EXPECT_EQ(first.duration_ms, 250);
  EXPECT_EQ(first.gpus_milli, 500);
  EXPECT_EQ(first.user, "王芳");
  EXPECT_EQ(first.gpu_type, "");
  EXPECT_TRUE(first.failed);
  EXPECT_EQ(trace->at(1).user, "ann");  // as they stand in the file
  EXPECT_FALSE(trace->at(1).failed);
  EXPECT_EQ(trace->at(2).gpu_type, "x|y");
  EXPECT_FALSE(trace->at(2).failed);
  EXPECT_LT(trace->at(2).deadline_ms, 0);
}

TEST(Trace, ColumnsMayStandInAnyOrderAndOthersArePassedOver) {
  const auto trace = ParseTrace(
      "\xEF\xBB\xBFuser,deadline_s,note,gpus,duration_s,submit_s\n\"a, b\",50,\"x\"\"y\",3,20,1\n",
      "t.csv");
  ASSERT_TRUE(trace.ok()) << Message(trace.status());
  EXPECT_EQ(trace->front().user, "a, b");
  EXPECT_EQ(trace->front().gpus_milli, 3'000);
  EXPECT_EQ(trace->front().duration_ms, 20'000);
  EXPECT_EQ(trace->front().submit_ms, 1'000);
  EXPECT_EQ(trace->front().deadline_ms, 50'000);
}

TEST(Trace, RefusesABadRowWithItsLine) {
  EXPECT_THAT(Refused("1,2,1,ann,,\nx,2,1,ann,,\n"),
              AllOf(HasSubstr("t.csv line 3"), HasSubstr("submit_s is \"x\"")));
  EXPECT_THAT(Refused("1,-2,1,ann,,\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("duration_s is \"-2\"")));
  EXPECT_THAT(Refused("1,2,1e3,ann,,\n"), HasSubstr("gpus is \"1e3\""));
  EXPECT_THAT(Refused("1,2,1,ann\n"), HasSubstr("has 4 values where the titles are 6"));
  EXPECT_THAT(Refused("\n1,2,1,,,\n"), AllOf(HasSubstr("line 3"), HasSubstr("names no user")));
  EXPECT_THAT(Refused("1,2,200000,ann,,\n"), HasSubstr("which no machine has"));
  EXPECT_THAT(Refused("99999999999,2,1,ann,,\n"), HasSubstr("submit_s is"));
  EXPECT_THAT(Refused(""), HasSubstr("holds no jobs"));
  EXPECT_THAT(Message(ParseTrace("submit_s,gpus,user\n1,1,ann\n", "t.csv").status()),
              HasSubstr("there is no column duration_s"));
}

}  // namespace
}  // namespace pinka::sim
