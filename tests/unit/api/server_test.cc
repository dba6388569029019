#include "scheduler/api/server.h"

#include <gtest/gtest.h>

#include "scheduler/api/signal.h"
#include "scheduler/api/usage.h"

namespace pinka::api {
namespace {

TEST(Listening, IsForThisMachineOnly) {
  for (const char* good :
       {"127.0.0.1:7433", "127.0.0.1:0", "[::1]:7433", "localhost:1", "unix:/run/p"})
    EXPECT_TRUE(CheckListen(good).ok()) << good;
  for (const char* bad :
       {"0.0.0.0:7433", "[::]:7433", "10.0.0.1:7433", "lab.example:7433", ":7433", "127.0.0.1",
        "127.0.0.1:99999", "127.0.0.1:", "unix:", "", "127.0.0.1.evil.example:1"})
    EXPECT_FALSE(CheckListen(bad).ok()) << bad;
}

TEST(Signals, MeetWhicheverComesFirst) {
  int calls = 0;
  Signal first;
  first.Fire();
  first.Fire();
  first.Then([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  Signal second;
  second.Then([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  second.Fire();
  second.Fire();
  EXPECT_EQ(calls, 2);
}

TEST(UsageWindows, AreMonthsOfTheLabsZone) {
  const auto month = ParseMonth("2026-11", "Asia/Shanghai");
  ASSERT_TRUE(month.ok());
  EXPECT_EQ(month->start.micros(), 1'793'462'400'000'000);  // 2026-10-31T16:00:00Z
  EXPECT_EQ(month->end - month->start, Duration::Days(30));
  for (const char* bad : {"", "2026", "2026-13", "2026-00", "26-11", "2026/11", "2026-1"})
    EXPECT_FALSE(ParseMonth(bad, "Asia/Shanghai").ok()) << bad;
}

TEST(UsageQueries, OfMembersAreAboutThemselves) {
  Board board;
  board.member_names = {{1, "alice"}, {2, "bob"}};
  const Principal alice{MemberId(1), "alice", false, "", {}};
  const Principal admin{MemberId(2), "bob", true, "", {}};
  v1::GetUsageRequest request;
  EXPECT_EQ(ConvertUsage(request, alice, board)->member, MemberId(1));
  EXPECT_EQ(ConvertUsage(request, admin, board)->member, MemberId());
  request.set_user("bob");
  EXPECT_FALSE(ConvertUsage(request, alice, board).ok());
  EXPECT_EQ(ConvertUsage(request, admin, board)->member, MemberId(2));
  request.set_by("weather");
  EXPECT_FALSE(ConvertUsage(request, admin, board).ok());
}

TEST(UsageQueries, CarryEachFilter) {
  const Board board;
  const Principal admin{MemberId(2), "bob", true, "", {}};
  v1::GetUsageRequest request;
  request.set_project("vision");
  request.set_tier("a100");
  request.set_source("spot");
  request.set_node("box-1");
  request.set_job_id(7);
  const auto query = ConvertUsage(request, admin, board);
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(query->project, "vision");
  EXPECT_EQ(query->tier, "a100");
  EXPECT_EQ(query->source, "spot");
  EXPECT_EQ(query->node, "box-1");
  EXPECT_EQ(query->job, JobId(7));
  request.set_source("stolen");
  EXPECT_FALSE(ConvertUsage(request, admin, board).ok());
  EXPECT_TRUE(RefuseUnknownNames({}).ok());
  EXPECT_FALSE(RefuseUnknownNames({.project = false}).ok());
  EXPECT_FALSE(RefuseUnknownNames({.tier = false}).ok());
  EXPECT_FALSE(RefuseUnknownNames({.node = false}).ok());
}

TEST(UsageRows, ShareTheTotal) {
  db::UsageReport report;
  report.lines.resize(2);
  report.lines[0].key = "alice";
  report.lines[0].unit_ms = 36'000'000;
  report.lines[0].wall_ms = 9'000'000;
  report.lines[0].attempts = 3;
  report.lines[0].amount = Money::Whole(120);
  report.lines[0].wasted = Money::Whole(12);
  report.lines[1].lab = true;
  report.lines[1].amount = Money::Whole(80);
  report.total.amount = Money::Whole(200);
  v1::GetUsageResponse out;
  FillUsage({.by = db::UsageBy::kTier, .from = Timestamp::Seconds(9)}, report, &out);
  EXPECT_EQ(out.rows(0).gpu_hours(), "10.000000");
  EXPECT_EQ(out.rows(0).wall_hours(), "2.500000");
  EXPECT_EQ(out.rows(0).attempts(), 3);
  EXPECT_EQ(out.rows(0).share(), "0.60");
  EXPECT_EQ(out.rows(0).wasted_share(), "0.10");
  EXPECT_EQ(out.rows(1).wasted_share(), "0.00");
  EXPECT_EQ(out.rows(1).key(), "lab");
  EXPECT_EQ(out.total().amount(), "200.000000");
  EXPECT_EQ(out.by(), "tier");
  EXPECT_EQ(out.from().seconds(), 9);
  EXPECT_FALSE(out.has_to()) << "without a bound";
  v1::GetUsageResponse below;  // a month of corrections
  report.lines[0].amount = -Money::Whole(240);
  report.total.amount = -Money::Whole(160);
  FillUsage({}, report, &below);
  EXPECT_EQ(below.rows(0).share(), "1.50");
  EXPECT_EQ(below.rows(1).share(), "-0.50");
  v1::GetUsageResponse empty;
  FillUsage({}, {}, &empty);
  EXPECT_EQ(empty.total().share(), "0.00");
}

}  // namespace
}  // namespace pinka::api
