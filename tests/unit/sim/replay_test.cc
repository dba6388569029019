// Tiny traces with results that are worked by hand, and what must hold of every replay.
#include "scheduler/sim/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "fmt/format.h"
#include "scheduler/runtime/calendar.h"
#include "scheduler/sim/audit.h"
#include "scheduler/sim/fake_store.h"
#include "scheduler/sim/figures.h"
#include "scheduler/sim/scenario.h"

namespace pinka::sim {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ReplayInput InputOf(const Scenario& scenario, const std::string& rows) {
  const auto trace =
      ParseTrace("submit_s,duration_s,gpus,user,gpu_type,status,deadline_s\n" + rows, "t.csv");
  EXPECT_TRUE(trace.ok()) << Message(trace.status());
  auto input = BuildInput(scenario, *trace);
  EXPECT_TRUE(input.ok()) << Message(input.status());
  input->calendar = *PeriodsAround(input->zone, input->start);
  return *std::move(input);
}

Scenario Small(const std::string& policy, const std::string& nodes) {
  Scenario scenario;
  scenario.policy = policy;
  scenario.exact_limits = true;
  scenario.nodes = {nodes};
  return scenario;
}

std::vector<double> WaitsIn(const ReplayResult& result) {
  std::vector<double> waits;
  for (const JobResult& job : result.jobs)
    waits.push_back(job.started_at
                        ? static_cast<double>((job.started_at - job.submitted_at).millis()) / 1e3
                        : -1);
  return waits;
}

// Two units: a narrow job runs to 100, a wide one waits for it, a short narrow one came last.
constexpr char kThree[] = "0,100,1,ann,,,\n1,100,2,ann,,,\n2,50,1,ann,,,\n";

TEST(Replay, FifoLetsNobodyPassTheFirst) {
  const ReplayInput input = InputOf(Small("fifo", "gpu:1x2"), kThree);
  const ReplayResult result = RunReplay(input);
  EXPECT_THAT(WaitsIn(result), ElementsAre(0, 99, 198));
  const Figures f = FiguresOf(result);
  EXPECT_EQ(f.completed, 3);
  EXPECT_DOUBLE_EQ(f.makespan_s, 250);
  EXPECT_DOUBLE_EQ(f.utilization, (100 + 200 + 50) / 500.0);
  EXPECT_DOUBLE_EQ(f.waits.mean_s, 99);
  EXPECT_DOUBLE_EQ(f.waits.median_s, 99);
  // 350 unit-seconds at 13.50 an hour, each attempt's share of it exactly.
  EXPECT_EQ(f.cost, Money::Micros(375'000 + 750'000 + 187'500));
  EXPECT_EQ(f.cost_by_source.at("on_demand"), f.cost);
}

// The short one ends before the wide one can begin; one that would not waits behind it.
TEST(Replay, BackfillLetsPassWhoEndsInTime) {
  const ReplayInput input =
      InputOf(Small("fifo-backfill", "gpu:1x2"), std::string(kThree) + "3,200,1,ann,,,\n");
  EXPECT_THAT(WaitsIn(RunReplay(input)), ElementsAre(0, 99, 0, 197));
}

TEST(Replay, AFailedJobTakesItsTimeAndFails) {
  const ReplayInput input = InputOf(Small("pinka", "gpu:1x1"), "0,60,1,ann,,Killed,\n");
  const ReplayResult result = RunReplay(input);
  EXPECT_EQ(result.jobs[0].state, TaskState::kFailed);
  EXPECT_EQ(result.jobs[0].ended_at - result.jobs[0].submitted_at, Duration::Seconds(60));
}

TEST(Replay, TooWideAndTooLongAreInfeasible) {
  Scenario scenario = Small("pinka", "gpu:1x2");
  ReplayInput input = InputOf(scenario, "0,60,3,ann,,,\n5,60,2,ann,,,\n");
  input.lab.tiers[0].row.max_time = Duration::Seconds(60);
  input.lab.tiers[0].row.default_time = Duration::Seconds(60);
  input.jobs.push_back(input.jobs[1]);
  input.jobs.back().limit = Duration::Seconds(61);
  const ReplayResult result = RunReplay(input);
  EXPECT_EQ(result.jobs[0].refused, Reason::kTooWide);
  EXPECT_EQ(result.jobs[1].state, TaskState::kCompleted);
  EXPECT_EQ(result.jobs[2].refused, Reason::kTimeLimitAboveTier);
  const Figures f = FiguresOf(result);
  EXPECT_EQ(f.infeasible, 2);
  EXPECT_EQ(f.refused.size(), 2u);
}

TEST(Replay, FractionsAreRoundedUpToTheUnit) {
  const ReplayInput input =
      InputOf(Small("pinka", "gpu:1x2"), "0,60,0.25,ann,,,\n1,60,1.5,bob,,,\n");
  const ReplayResult result = RunReplay(input);
  EXPECT_EQ(result.jobs[0].units, 1);
  EXPECT_EQ(result.jobs[1].units, 2);
  EXPECT_THAT(WaitsIn(result), ElementsAre(0, 59));
}

TEST(Replay, EitherTierTakesTheOneWithRoom) {
  const ReplayInput input =
      InputOf(Small("pinka", "a:1x1"), "0,60,1,ann,a,,\n1,60,1,ann,a|b,,\n2,60,1,ann,a|b,,\n");
  const ReplayResult result = RunReplay(input);
  EXPECT_EQ(result.tiers.at(result.jobs[1].tier), "b");
  EXPECT_EQ(result.jobs[1].started_at, result.jobs[1].submitted_at);
}

TEST(Replay, DeadlinesAreCounted) {
  const ReplayInput input =
      InputOf(Small("pinka", "gpu:1x1"), "0,60,1,ann,,,61\n0,60,1,ann,,,100\n0,60,1,ann,,,\n");
  const Figures f = FiguresOf(RunReplay(input));
  EXPECT_EQ(f.deadlines, 2);
  EXPECT_EQ(f.deadlines_met, 1);
}

// One spot machine and no other. It is up to 4,000 s and again from 5,000 s on. Two hours of work
// have reached 3,600 s by the checkpoint of an hour; 400 s are lost, 3,600 s are left.
TEST(Replay, ASpotMachineIsTakenAndTheWorkGoesOnFromItsCheckpoint) {
  Scenario scenario = Small("pinka", "gpu:0x1");
  scenario.spot = *ParseSpot("t_s,zone,instances_up\n0,z,1\n4000,z,0\n5000,z,1\n", "s.csv", "");
  scenario.spot_units = 1;
  const ReplayInput input = InputOf(scenario, "0,7200,1,ann,,,\n");
  const ReplayResult result = RunReplay(input);
  ASSERT_EQ(result.runs.size(), 2u);
  EXPECT_EQ(result.runs[0].end, EndReason::kSpotReclaim);
  EXPECT_EQ(result.runs[0].to - result.runs[0].from, Duration::Seconds(4'000));
  EXPECT_EQ(result.runs[0].kept, Duration::Seconds(3'600));
  EXPECT_EQ(result.runs[1].from - input.start, Duration::Seconds(5'000));
  EXPECT_EQ(result.runs[1].to - input.start, Duration::Seconds(8'600));
  const Figures f = FiguresOf(result);
  EXPECT_EQ(f.completed, 1);
  EXPECT_EQ(f.reclaims, 1);
  EXPECT_DOUBLE_EQ(f.lost_s, 400);
  EXPECT_THAT(f.utilization, DoubleNear(7'600.0 / 7'600.0, 1e-9));  // away is not up
}

TEST(Replay, WithoutCheckpointsAllOfItIsLost) {
  Scenario scenario = Small("pinka", "gpu:0x1");
  scenario.checkpoint_every = Duration();
  scenario.spot = *ParseSpot("t_s,zone,instances_up\n0,z,1\n4000,z,0\n5000,z,1\n", "s.csv", "");
  scenario.spot_units = 1;
  const Figures f = FiguresOf(RunReplay(InputOf(scenario, "0,7200,1,ann,,,\n")));
  EXPECT_DOUBLE_EQ(f.lost_s, 4'000);
  EXPECT_DOUBLE_EQ(f.makespan_s, 12'200);
}

TEST(Replay, ATaskThatGoesOnNeedsItsRestartFirst) {
  Scenario scenario = Small("pinka", "gpu:0x1");
  scenario.restart = Duration::Minutes(5);
  scenario.spot = *ParseSpot("t_s,zone,instances_up\n0,z,1\n4000,z,0\n5000,z,1\n", "s.csv", "");
  scenario.spot_units = 1;
  const ReplayInput input = InputOf(scenario, "0,7200,1,ann,,,\n");
  const ReplayResult result = RunReplay(input);
  ASSERT_EQ(result.runs.size(), 2u);
  EXPECT_EQ(result.runs[0].kept, Duration::Seconds(3'600)) << "the first has nothing to go back to";
  EXPECT_EQ(result.runs[1].to - input.start, Duration::Seconds(5'000 + 300 + 3'600));
}

// Ten hours of work in eleven: no slack to wait with. From two hours on there is a spot machine,
// and the task moves there with the checkpoint of that moment.
TEST(Replay, WorkWithADeadlineGoesToSpotWhenThereIsOne) {
  Scenario scenario = Small("pinka", "gpu:1x1");
  scenario.restart = Duration::Minutes(5);
  scenario.spot = *ParseSpot("t_s,zone,instances_up\n0,z,0\n7200,z,1\n", "s.csv", "");
  scenario.spot_units = 1;
  const std::string rows = "0,36000,1,ann,,,39600\n";
  const ReplayResult result = RunReplay(InputOf(scenario, rows));
  ASSERT_EQ(result.runs.size(), 2u);
  EXPECT_EQ(result.runs[0].source, Source::kOnDemand);
  EXPECT_EQ(result.runs[0].end, EndReason::kPreempted);
  EXPECT_EQ(result.runs[0].kept, Duration::Hours(2)) << "nothing is lost";
  EXPECT_EQ(result.runs[1].source, Source::kSpot);
  const Figures f = FiguresOf(result);
  EXPECT_EQ(f.deadlines_met, 1);
  // Two hours at 13.50, eight and the restart at 4.50.
  EXPECT_EQ(f.cost, Money::Micros(27'000'000 + 36'375'000));
  scenario.policy = "pinka-on-demand";
  EXPECT_EQ(FiguresOf(RunReplay(InputOf(scenario, rows))).cost, Money::Whole(135));
}

// With much slack the four rules differ: a day of work in two, spot every other six hours.
TEST(Replay, TheRulesForSpotDifferInWhatTheyCost) {
  Scenario scenario = Small("pinka", "gpu:1x1");
  std::string spot = "t_s,zone,instances_up\n";
  for (int h = 0; h < 60; h += 12)
    spot += fmt::format("{},z,0\n{},z,1\n", h * 3'600, h * 3'600 + 21'600);
  scenario.spot = *ParseSpot(spot, "s.csv", "");
  scenario.spot_units = 1;
  std::map<std::string, Money> cost;
  for (const char* policy :
       {"pinka", "pinka-uniform-progress", "pinka-spot-then-switch", "pinka-on-demand"}) {
    scenario.policy = policy;
    const Figures f = FiguresOf(RunReplay(InputOf(scenario, "0,86400,1,ann,,,172800\n")));
    EXPECT_EQ(f.deadlines_met, 1) << policy;
    cost[policy] = f.cost;
  }
  EXPECT_LE(cost["pinka"], cost["pinka-uniform-progress"]);
  EXPECT_LE(cost["pinka"], cost["pinka-spot-then-switch"]);
  EXPECT_LT(cost["pinka-spot-then-switch"], cost["pinka-on-demand"]);
}

// A machine of two units is rented for the hour in which one of them works, to the minute, and what
// it costs beside the work is idle.
TEST(Replay, WhatRentedMachinesCostBesideTheWorkIsIdle) {
  ReplayInput input = InputOf(Small("pinka", "gpu:1x2"), "0,3600,1,ann,,,\n");
  BillingRow& billing = input.lab.tiers[0].billing.emplace_back();
  billing.source = Source::kOnDemand;
  billing.provider = "cloud";
  billing.rule.rate = Rate::MicrosPerUnitHour(13'500'000);
  const Figures f = FiguresOf(RunReplay(input));
  EXPECT_EQ(f.cost_by_source.at("on_demand"), Money::Micros(13'500'000));
  EXPECT_EQ(f.idle, Money::Micros(13'500'000));
  EXPECT_EQ(f.cost, Money::Whole(27));
}

// Taken back more often than core lets pass without a person: it is released and ends.
TEST(Replay, WorkThatIsTakenBackForEverGoesOn) {
  Scenario scenario = Small("pinka", "gpu:0x1");
  std::string spot = "t_s,zone,instances_up\n";
  for (int i = 0; i < 30; ++i)
    spot += fmt::format("{},z,1\n{},z,0\n", i * 3'000, i * 3'000 + 2'000);
  spot += "100000,z,1\n";
  scenario.spot = *ParseSpot(spot, "s.csv", "");
  scenario.spot_units = 1;
  const Figures f = FiguresOf(RunReplay(InputOf(scenario, "0,54000,1,ann,,,\n")));
  EXPECT_EQ(f.completed, 1);
  EXPECT_EQ(f.reclaims, 29);  // of 1,800 s each; the last 1,800 s end before the thirtieth
  EXPECT_DOUBLE_EQ(f.lost_s, 29 * 200);
}

TEST(Replay, AMonthsEndSplitsNothingThatIsCounted) {
  const ReplayInput input = InputOf(Small("pinka", "gpu:1x1"), "0,4000000,1,ann,,,\n");
  const Figures f = FiguresOf(RunReplay(input));
  EXPECT_EQ(f.completed, 1);
  EXPECT_EQ(f.cost, Money::Whole(15'000));  // 4,000,000 s at 13.50 an hour
}

TEST(Replay, BudgetsCountOnlyWhereTheyAreToldTo) {
  LabChange lab;
  lab.set_lab = true;
  lab.lab.timezone = "Asia/Shanghai";
  LabChange::Tier tier;
  tier.row.name = "gpu";
  tier.row.unit_gpus = 1;
  RateRow rate;
  rate.rate = Rate::MicrosPerUnitHour(1'000'000);
  tier.rates.push_back(rate);
  lab.tiers.push_back(tier);
  lab.members.push_back({"ann", 1, false});
  LabChange::Limit limit;
  limit.row.amount = 1'000'000;  // an hour of each member
  limit.row.period = Period::kMonth;
  lab.limits.push_back(limit);
  Scenario scenario = Small("pinka", "gpu:1x4");
  scenario.lab = lab;
  const std::string rows = "0,3600,1,ann,,,\n1,3600,1,ann,,,\n2,3600,2,new,,,\n";
  EXPECT_THAT(WaitsIn(RunReplay(InputOf(scenario, rows))), ElementsAre(0, 0, 0));
  scenario.money = true;
  const std::vector<double> waits = WaitsIn(RunReplay(InputOf(scenario, rows)));
  EXPECT_EQ(waits[0], 0);
  EXPECT_EQ(waits[1], 31 * 86'400 - 1);  // until February
  EXPECT_EQ(waits[2], 0);                // whom the lab did not know has no limits
}

std::string RandomRows(uint64_t seed) {
  SeededRandom random(seed);
  std::string rows;
  int64_t at = 0;
  for (int i = 0; i < 120; ++i) {
    at += static_cast<int64_t>(random.Below(400));
    rows += fmt::format("{},{},{},user{},,{},\n", at, random.Below(5'000), 1 + random.Below(5),
                        random.Below(4), random.Below(4) == 0 ? "Killed" : "Pass");
  }
  return rows;
}

// No card is in two hands, no machine gives more units than it has, and all work that was asked for
// is done, exactly.
void ExpectSound(const ReplayInput& input, const ReplayResult& result) {
  std::map<std::pair<int32_t, int32_t>, std::vector<std::pair<Timestamp, Timestamp>>> cards;
  Duration served;
  for (const Run& run : result.runs) {
    ASSERT_EQ(static_cast<int32_t>(run.gpus.size()), run.units);
    for (int32_t gpu : run.gpus) {
      if (run.to > run.from) cards[{run.node, gpu}].emplace_back(run.from, run.to);
    }
    const bool own = run.end == EndReason::kExited;
    served = served + (own ? run.to - run.from : run.kept);
  }
  for (auto& [card, spans] : cards) {
    std::ranges::sort(spans);
    for (size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].second, spans[i].first);
  }
  Duration asked;
  for (size_t i = 0; i < result.jobs.size(); ++i) {
    ASSERT_EQ(result.jobs[i].refused, Reason::kOk);
    EXPECT_GE(result.jobs[i].started_at, result.jobs[i].submitted_at);
    asked = asked + input.jobs[i].work;
  }
  EXPECT_EQ(served, asked);
}

TEST(ReplayProperty, NoUnitIsUsedTwiceAndAllServiceIsAllWork) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Scenario scenario = Small(seed % 2 == 0 ? "pinka" : "fifo", "gpu:2x5");
    scenario.exact_limits = false;
    scenario.seed = seed;
    if (seed > 4) {
      scenario.spot = *ParseSpot(
          "t_s,zone,instances_up\n0,z,2\n3000,z,0\n9000,z,1\n14000,z,2\n20000,z,0\n90000,z,2\n",
          "s.csv", "");
      scenario.spot_units = 5;
    }
    const ReplayInput input = InputOf(scenario, RandomRows(seed));
    const ReplayResult result = RunReplay(input);
    ExpectSound(input, result);
    EXPECT_EQ(FiguresOf(result).unfinished, 0);
  }
}

// Every batch is one that the database would take, the books add up, and core loaded from them is
// the one that runs.
TEST(ReplayProperty, TheBooksAddUp) {
  Scenario scenario = Small("pinka", "gpu:2x5");
  scenario.exact_limits = false;
  scenario.spot = *ParseSpot("t_s,zone,instances_up\n0,z,1\n3000,z,0\n9000,z,1\n", "s.csv", "");
  ReplayInput input = InputOf(scenario, RandomRows(11));
  FakeStore store;
  int64_t batches = 0;
  input.on_batch = [&](const Core& core, const Changes& changes) {
    if (changes.empty()) return;
    const auto refused = store.Commit(store.batch() + 1, core.now(), changes);
    ASSERT_FALSE(refused.has_value()) << *refused;
    if (++batches % 50 == 0) {
      EXPECT_THAT(AuditReload(core, store), IsEmpty());
    }
  };
  const ReplayResult result = RunReplay(input);
  EXPECT_GT(batches, 200);
  EXPECT_THAT(AuditBooks(store), IsEmpty());
  EXPECT_THAT(AuditMachines(store), IsEmpty());
  EXPECT_THAT(AuditJobs(store), IsEmpty());
  Money charged;
  for (const auto& [id, row] : store.tables().settlements) charged += row.charged;
  EXPECT_EQ(charged + result.overhead, FiguresOf(result).cost);
}

TEST(ReplayProperty, SameInputSameHistory) {
  Scenario scenario = Small("pinka", "gpu:2x5");
  scenario.exact_limits = false;
  const ReplayInput input = InputOf(scenario, RandomRows(3));
  const ReplayResult one = RunReplay(input);
  const ReplayResult two = RunReplay(input);
  EXPECT_EQ(one.digest, two.digest);
  EXPECT_EQ(one.events, two.events);
  scenario.seed = 2;
  const ReplayResult other = RunReplay(InputOf(scenario, RandomRows(3)));
  EXPECT_NE(one.digest, other.digest);
}

}  // namespace
}  // namespace pinka::sim
