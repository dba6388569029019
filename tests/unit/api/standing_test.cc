#include "scheduler/api/standing.h"

#include <gtest/gtest.h>

namespace pinka::api {
namespace {

State TwoProjects() {
  State state;
  state.projects.Load(ProjectId(11), {ProjectId(11), "vision", {1, 2}, 3});
  state.projects.Load(ProjectId(12), {ProjectId(12), "speech", {2}, 1});
  return state;
}

ShareLine Line(int64_t project, int64_t member, const char* name) {
  ShareLine line;
  line.project = ProjectId(project);
  line.member = MemberId(member);
  line.name = name;
  line.share = 1;
  line.shares = 3;
  line.use_ms = 3'600'000;
  line.uses_ms = 7'200'000;
  line.level = 667;
  line.fair = uint64_t{3} << 60;
  return line;
}

TEST(FillShares, WritesRatiosWithFixedDecimals) {
  ShareList list;
  list.by_project = true;
  list.lines = {Line(11, 0, "vision"), Line(11, 1, "王芳")};
  list.lines[1].use_ms = list.lines[1].uses_ms = 0;
  list.lines[1].level = -1;
  v1::ListSharesResponse out;
  FillShares(list, TwoProjects(), MemberId(1), true, &out);
  ASSERT_EQ(out.lines_size(), 2);
  EXPECT_EQ(out.lines(0).project(), "vision");
  EXPECT_EQ(out.lines(0).user(), "");
  EXPECT_EQ(out.lines(0).normalized_share(), "0.3333");
  EXPECT_EQ(out.lines(0).gpu_hours(), "1.000000");
  EXPECT_EQ(out.lines(0).normalized_use(), "0.5000");
  EXPECT_EQ(out.lines(0).level_fairness(), "0.667");
  EXPECT_EQ(out.lines(0).factor(), "") << "projects have none";
  EXPECT_EQ(out.lines(1).user(), "王芳");
  EXPECT_EQ(out.lines(1).factor(), "0.7500");
  EXPECT_EQ(out.lines(1).level_fairness(), "inf");
  EXPECT_EQ(out.lines(1).normalized_use(), "");
}

TEST(FillShares, InAClosedLabAreOnesOwn) {
  ShareList list;
  list.by_project = true;
  list.lines = {Line(0, 0, ""),     Line(0, 1, "ann"),  Line(0, 2, "bob"),    Line(11, 0, "vision"),
                Line(11, 1, "ann"), Line(11, 2, "bob"), Line(12, 0, "speech")};
  v1::ListSharesResponse out;
  FillShares(list, TwoProjects(), MemberId(1), false, &out);
  EXPECT_EQ(out.lines_size(), 4) << "no project, ann, vision, ann in vision";
  for (const v1::ShareLine& line : out.lines()) {
    EXPECT_NE(line.user(), "bob");
    EXPECT_NE(line.project(), "speech");
  }
}

TEST(SeesEverybody, FollowsTheOpenness) {
  Principal who;
  EXPECT_FALSE(SeesEverybody(who, Openness::kClosed));
  EXPECT_TRUE(SeesEverybody(who, Openness::kQueue));
  EXPECT_TRUE(SeesEverybody(who, Openness::kOpen));
  who.admin = true;
  EXPECT_TRUE(SeesEverybody(who, Openness::kClosed));
}

TEST(FormatFraction, HasFourDecimals) {
  EXPECT_EQ(FormatFraction(0), "0.0000");
  EXPECT_EQ(FormatFraction(uint64_t{1} << 62), "1.0000");
  EXPECT_EQ(FormatFraction((uint64_t{1} << 62) / 3), "0.3333");
  EXPECT_EQ(FormatThousandths(1067), "1.067");
  EXPECT_EQ(FormatThousandths(-1), "inf");
}

TEST(FillPriorities, GivesEveryPart) {
  PriorityList list;
  PriorityLine line;
  line.job = JobId(7);
  line.user = "ann";
  line.has_share = true;
  line.parts.fair = 5'000;
  line.parts.age = 10;
  line.parts.klass = 1'000;
  line.parts.size = 125;
  line.parts.nice = 35;
  line.parts.total = 6'100;
  list.lines = {line};
  v1::ListPrioritiesResponse out;
  FillPriorities(list, &out);
  int64_t sum = 0;
  for (const v1::Factor& factor : out.lines(0).factors()) sum += factor.value();
  EXPECT_EQ(sum, out.lines(0).priority());
  EXPECT_EQ(out.lines(0).factors_size(), 5);
}

}  // namespace
}  // namespace pinka::api
