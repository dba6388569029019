#include "scheduler/sim/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scheduler/runtime/calendar.h"

namespace pinka::sim {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kHourMs = 3'600'000;

std::vector<TraceJob> Trace() {
  return *ParseTrace(
      "submit_s,duration_s,gpus,user\n0,900,1,a\n1,14400,1,a\n2,36000,2,b\n3,900000,1,c\n4,60,64,"
      "d\n",
      "t.csv");
}

TEST(Synthesis, IsRead) {
  const auto what = ParseSynthesis("people=4,hours=200");
  ASSERT_TRUE(what.ok());
  EXPECT_EQ(what->people, 4);
  EXPECT_EQ(what->days, 30);
  EXPECT_EQ(what->hours, 200);
  for (const char* bad : {"people", "people=0", "cats=3", "people=4;days=2"})
    EXPECT_THAT(Message(ParseSynthesis(bad).status()), HasSubstr("write people=10,days=30"));
}

TEST(Synthesize, DrawsAMonthOfSoMuchWork) {
  const Synthesis what{.people = 4, .days = 10, .hours = 300};
  const auto month = Synthesize(Trace(), what, 5);
  ASSERT_TRUE(month.ok()) << Message(month.status());
  int64_t work_ms = 0;
  std::set<std::string> people;
  for (const TraceJob& job : *month) {
    work_ms += job.gpus_milli / 1'000 * job.duration_ms;
    people.insert(job.user);
    EXPECT_LE(job.gpus_milli, 8'000);
    EXPECT_LE(job.duration_ms, 72 * kHourMs);
    EXPECT_LT(job.submit_ms, 10 * 24 * kHourMs);
  }
  EXPECT_GE(work_ms, 300 * kHourMs);
  EXPECT_LT(work_ms, 330 * kHourMs);
  EXPECT_EQ(people.size(), 4u);
  const auto again = Synthesize(Trace(), what, 5);
  ASSERT_EQ(again->size(), month->size());
  for (size_t i = 0; i < month->size(); ++i)
    EXPECT_EQ(again->at(i).submit_ms, month->at(i).submit_ms);
  EXPECT_NE(Synthesize(Trace(), what, 6)->front().submit_ms, month->front().submit_ms);
}

// All work on on-demand A100 costs its hours at 13.50; a package of four fifths of them at 9.45,
// used or not, and the rest by the hour, less.
TEST(Headline, PackagesAndTiersArePaidLess) {
  Scenario base;
  base.exact_limits = true;
  const auto month = *Synthesize(Trace(), {.people = 4, .days = 10, .hours = 300}, 5);
  int64_t work_ms = 0;
  for (const TraceJob& job : month) work_ms += job.gpus_milli / 1'000 * job.duration_ms;
  auto cases = *HeadlineCases(base, month);
  ASSERT_EQ(cases.size(), 7u);
  std::vector<Money> paid;
  for (size_t i = 0; i < 3; ++i) {
    cases[i].input.calendar = *PeriodsAround(cases[i].input.zone, cases[i].input.start);
    const Figures f = FiguresOf(RunReplay(cases[i].input));
    EXPECT_EQ(f.unfinished, 0);
    EXPECT_EQ(f.infeasible, 0);
    paid.push_back(PaidOf(f, cases[i].packages));
  }
  EXPECT_EQ(paid[0], Cost(UnitTime::Millis(work_ms), Rate::MicrosPerUnitHour(13'500'000)));
  EXPECT_LT(paid[1], paid[0]);
  EXPECT_LT(paid[2], paid[0]);
  const int64_t package_hours = work_ms * 80 / 100 / kHourMs;
  EXPECT_EQ(cases[2].packages, Money::Micros(package_hours * 9'450'000));
  EXPECT_GE(paid[2], cases[2].packages);
}

}  // namespace
}  // namespace pinka::sim
