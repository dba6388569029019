#include "scheduler/sim/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "scheduler/sim/plots.h"
#include "scheduler/sim/print.h"

namespace pinka::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const Timestamp kStart = Timestamp::Seconds(1'000'000);
const TierId kTier(3);

Timestamp At(int64_t seconds) { return kStart + Duration::Seconds(seconds); }

TEST(Waits, MeanMedianAndP95) {
  EXPECT_EQ(WaitsOf({}).mean_s, 0);
  const Waits odd = WaitsOf({30, 10, 20});
  EXPECT_DOUBLE_EQ(odd.mean_s, 20);
  EXPECT_DOUBLE_EQ(odd.median_s, 20);
  EXPECT_DOUBLE_EQ(odd.p95_s, 30);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_DOUBLE_EQ(WaitsOf(hundred).median_s, 50.5);
  EXPECT_DOUBLE_EQ(WaitsOf(hundred).p95_s, 95);
}

TEST(Jain, OneForEqualsAndOneOfNWhereOneHasAll) {
  EXPECT_DOUBLE_EQ(Jain({}), 1);
  EXPECT_DOUBLE_EQ(Jain({4, 4, 4}), 1);
  EXPECT_DOUBLE_EQ(Jain({8, 0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(Jain({1, 3}), 16.0 / 20.0);
}

// A tier of two units. ann has both from 0 to 100; bob asks for one at 20 and gets it at 100, for
// 50 s. In 80 s of waiting half of two units was his.
ReplayResult TwoPeople() {
  ReplayResult result;
  result.start = kStart;
  result.end = At(150);
  result.tiers[kTier] = "gpu";
  result.members[MemberId(1)] = {"ann", 1};
  result.members[MemberId(2)] = {"王芳", 1};
  result.capacity.push_back({kStart, kTier, 2});
  const auto job = [&](MemberId member, int units, int64_t submit, int64_t start, int64_t end) {
    JobResult row;
    row.id = JobId(static_cast<int64_t>(result.jobs.size()) + 1);
    row.member = member;
    row.tier = kTier;
    row.units = units;
    row.submitted_at = At(submit);
    row.started_at = At(start);
    row.ended_at = At(end);
    row.served = Duration::Seconds(end - start);
    row.state = TaskState::kCompleted;
    Run run;
    run.job = static_cast<int32_t>(result.jobs.size());
    run.member = member;
    run.tier = kTier;
    run.units = units;
    run.from = At(start);
    run.to = At(end);
    run.end = EndReason::kExited;
    result.jobs.push_back(row);
    result.runs.push_back(run);
  };
  job(MemberId(1), 2, 0, 0, 100);
  job(MemberId(2), 1, 20, 100, 150);
  result.spent[Source::kOnDemand] = Money::Micros(1'500'000);
  result.overhead = Money::Micros(250'000);
  result.events = 6;
  return result;
}

TEST(Figures, OfTwoPeople) {
  const Figures f = FiguresOf(TwoPeople());
  EXPECT_DOUBLE_EQ(f.makespan_s, 150);
  EXPECT_DOUBLE_EQ(f.utilization, 250.0 / 300.0);
  EXPECT_DOUBLE_EQ(f.waits.mean_s, 40);
  ASSERT_EQ(f.members.size(), 2u);
  EXPECT_DOUBLE_EQ(f.members[0].slowdown, 1);
  EXPECT_DOUBLE_EQ(f.members[1].slowdown, 130.0 / 50.0);
  EXPECT_DOUBLE_EQ(f.jain, 3.6 * 3.6 / (2 * (1 + 2.6 * 2.6)));
  EXPECT_DOUBLE_EQ(f.lag_unit_hours, 80.0 / 3'600);
  EXPECT_EQ(f.lag_member, "王芳");
  EXPECT_EQ(f.cost, Money::Micros(1'750'000));
}

TEST(Figures, ALagEndsWithTheQueueAndFollowsShares) {
  ReplayResult result = TwoPeople();
  result.members[MemberId(2)].second = 3;
  EXPECT_DOUBLE_EQ(ServiceLags(result).at(MemberId(2)), 80 * 1.5);
  result.members[MemberId(2)].second = 0;
  EXPECT_DOUBLE_EQ(ServiceLags(result).at(MemberId(2)), 0);
}

TEST(Figures, MachinesThatWereAwayAreNotCounted) {
  ReplayResult result = TwoPeople();
  result.capacity.push_back({At(50), kTier, 4});
  result.capacity.push_back({At(100), kTier, -4});
  EXPECT_DOUBLE_EQ(FiguresOf(result).utilization, 250.0 / 500.0);
}

TEST(Figures, LostWorkIsWhatFollowsTheLastCheckpoint) {
  ReplayResult result = TwoPeople();
  result.runs[0].end = EndReason::kPreempted;
  result.runs[0].kept = Duration::Seconds(60);
  const Figures f = FiguresOf(result);
  EXPECT_EQ(f.preemptions, 1);
  EXPECT_EQ(f.reclaims, 0);
  EXPECT_DOUBLE_EQ(f.lost_s, 40);
}

RunFacts Facts() {
  RunFacts facts;
  facts.trace = "t<1>.csv";
  facts.policy = "pinka";
  facts.seed = 7;
  facts.as_of = At(150);
  facts.seconds = 0.5;
  return facts;
}

TEST(Print, FitsItsColumnsAndSurvivesWideNames) {
  ReplayResult result = TwoPeople();
  result.members[MemberId(1)].first = std::string(300, 'x');
  const Figures f = FiguresOf(result);
  for (const int columns : {80, 200}) {
    const std::string text = PrintFigures(f, Facts(), columns);
    EXPECT_THAT(text, HasSubstr("王芳"));
    size_t begin = 0;
    std::vector<int> table;
    while (begin < text.size()) {
      const size_t end = text.find('\n', begin);
      const int width = DisplayWidth(text.substr(begin, end - begin));
      EXPECT_LE(width, columns);
      table.push_back(width);
      begin = end + 1;
    }
    ASSERT_GE(table.size(), 3u);  // the table's lines are as wide as its titles
    EXPECT_EQ(table[table.size() - 1], table[table.size() - 3]);
    EXPECT_EQ(table[table.size() - 2], table[table.size() - 3]);
  }
  EXPECT_THAT(PrintFigures(f, Facts(), 80),
              AllOf(HasSubstr("mean 40.0s"), HasSubstr("83.3 %"), HasSubstr("12 a second"),
                    Not(HasSubstr("MEDIAN"))));
  EXPECT_THAT(PrintFigures(f, Facts(), 200), HasSubstr("MEDIAN"));
}

TEST(Print, JsonHasTheKeysOfTheContract) {
  const std::string json = FiguresJson(FiguresOf(TwoPeople()), Facts());
  for (const char* part :
       {"\"schema\":\"pinka.v1.Simulation\"", "\"meanWaitS\":40.000", "\"medianWaitS\":40.000",
        "\"p95WaitS\":80.000", "\"makespanS\":150.000", "\"utilization\":0.833333",
        "\"cost\":\"1.750000\"", "\"jain\":0.8", "\"deadlinesMet\":0", "\"preemptions\":0",
        "\"lostWorkS\":0.000", "\"events\":6", "\"seconds\":0.500", "\"eventsPerSecond\":12"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

TEST(Plots, APageOfItsOwn) {
  const ReplayResult result = TwoPeople();
  const std::string page = PlotsHtml(result, FiguresOf(result), Facts());
  EXPECT_THAT(page, AllOf(HasSubstr("<svg"), HasSubstr("Utilisation of gpu"), HasSubstr("王芳"),
                          HasSubstr("t&lt;1>.csv")));
  EXPECT_THAT(page,
              AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("src="))));
  EXPECT_EQ(page, PlotsHtml(result, FiguresOf(result), Facts()));
}

TEST(ShortSpan, HasTwoParts) {
  EXPECT_EQ(ShortSpan(0.25), "0.2s");
  EXPECT_EQ(ShortSpan(61), "1m01s");
  EXPECT_EQ(ShortSpan(3'720), "1h02m");
  EXPECT_EQ(ShortSpan(90'000), "1d01h");
}

}  // namespace
}  // namespace pinka::sim
