// --max-cost and --max-rate: what a job may cost over all its tasks and attempts (semantics.md 8).
#include <gtest/gtest.h>

#include "base/random.h"
#include "scheduler/core/board.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/sources.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  CoreWorld w;
  Lab() {
    w.Deposit("lab", 1'000);
    w.AddNode("box", "a100", 8);
  }
  JobId Submit(Duration limit, Money max_cost, const std::string& array = "") {
    JobRequest request = w.Job("a100", limit);
    request.max_cost = max_cost;
    request.array = array;
    return w.Submit("alice", request);
  }
};

TEST(CoveredTime, IsTheLongestThatCostsNoMore) {
  SeededRandom random(7);
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random.Below(n)); };
  for (int i = 0; i < 2'000; ++i) {
    const Rate rate = Rate::MicrosPerUnitHour(1 + below(50'000'000));
    const Money money = Money::Micros(1 + below(100'000'000));
    const int32_t units = 1 + static_cast<int32_t>(below(16));
    const Duration time = CoveredTime(money, rate, units, Duration::Days(3'650));
    EXPECT_LE(Cost(UnitTime::Of(units, time), rate), money);
    if (time == Duration::Days(3'650)) continue;
    EXPECT_GT(Cost(UnitTime::Of(units, time + Duration::Millis(1)), rate), money)
        << rate.micros_per_unit_hour() << " x " << units << " for " << money.micros();
  }
  EXPECT_EQ(CoveredTime(Money(), Rate(), 1, Duration::Hours(1)), Duration());
  EXPECT_EQ(CoveredTime(Money::Micros(1), Rate(), 1, Duration::Hours(1)), Duration::Hours(1));
}

TEST(MaxCost, HoldsTheLessOfQuoteAndWhatIsLeft) {
  Lab lab;
  const JobId below = lab.Submit(Duration::Hours(1), Money::Whole(50));
  EXPECT_EQ(lab.w.HoldOf(below).amount, Money::Whole(12));
  EXPECT_EQ(lab.w.AttemptOf(below).time_limit, Duration::Hours(1));
  const JobId above = lab.Submit(Duration::Hours(2), Money::Whole(6));
  EXPECT_EQ(lab.w.HoldOf(above).amount, Money::Whole(6));
  EXPECT_EQ(lab.w.AttemptOf(above).time_limit, Duration::Minutes(30));
}

TEST(MaxCost, StopsAtItsEndAsBudget) {
  Lab lab;
  CoreWorld& w = lab.w;
  const JobId job = lab.Submit(Duration::Hours(2), Money::Whole(6));
  w.Run(job);
  w.Advance(Duration::Minutes(29));
  w.Do(StoreMeters{{{w.Attempt(job), 29 * 60'000, 0}}});
  EXPECT_EQ(w.AttemptOf(job).want, Want::kRun);
  w.Advance(Duration::Minutes(1));
  w.Do(StoreMeters{{{w.Attempt(job), 30 * 60'000, 0}}});
  EXPECT_EQ(w.AttemptOf(job).want, Want::kStop);
  EXPECT_EQ(w.AttemptOf(job).stop_reason, StopReason::kBudget);
  w.Advance(Duration::Seconds(20));
  w.AgentOf(w.Attempt(job)).Find(w.Attempt(job))->overrun_ms = 20'000;
  w.End(job, EndReason::kCancelledByUser);  // what a node says of a stop
  EXPECT_EQ(w.AttemptOf(job).end_reason, EndReason::kBudget);
  EXPECT_EQ(w.StateOf(job), TaskState::kBudget);
  EXPECT_EQ(w.JobOf(job).charged, Money::Whole(6)) << "the charge never passes the hold";
  EXPECT_GT(w.Balance(AccountKind::kOverheadOverrun, "lab"), Money());
}

TEST(MaxCost, ThatTheNodeEnforcesAsALimitIsBudgetToo) {
  Lab lab;
  CoreWorld& w = lab.w;
  const JobId job = lab.Submit(Duration::Hours(2), Money::Whole(3));
  w.Run(job);
  w.Advance(Duration::Minutes(15));
  w.End(job, EndReason::kTimeLimit);
  EXPECT_EQ(w.StateOf(job), TaskState::kBudget);
  const JobId whole = lab.Submit(Duration::Minutes(15), Money::Whole(3));
  w.Run(whole);
  w.Advance(Duration::Minutes(15));
  w.End(whole, EndReason::kTimeLimit);
  EXPECT_EQ(w.StateOf(whole), TaskState::kTimeout) << "its own limit came first";
}

TEST(MaxCost, IsOfAllTasksAndAttemptsTogether) {
  Lab lab;
  CoreWorld& w = lab.w;
  // 30.00 for tasks of an hour: two whole ones and half of a third; the others wait.
  const JobId job = lab.Submit(Duration::Hours(1), Money::Whole(30), "0-4");
  EXPECT_EQ(w.Running(), 3);
  EXPECT_EQ(w.HoldOf(job, 2).amount, Money::Whole(6));
  const Explanation why = Explain(w.state(), job);
  EXPECT_EQ(why.reason, Reason::kBudget);
  EXPECT_NE(why.text.find("--max-cost"), std::string::npos) << why.text;
  w.Run(job, 0);
  w.Run(job, 1);
  w.Run(job, 2);
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0, 0);  // 6 of 12: 6 are free again
  EXPECT_EQ(w.StateOf(job, 3), TaskState::kStarting);
  EXPECT_EQ(w.HoldOf(job, 3).amount, Money::Whole(6));
  w.End(job, EndReason::kNodeLost, 2);  // the lab's, and it runs again on what is left
  EXPECT_EQ(w.JobOf(job).charged, Money::Whole(6));
  EXPECT_EQ(w.StateOf(job, 2), TaskState::kStarting);
  EXPECT_EQ(w.HoldOf(job, 2).amount, Money::Whole(6));
  EXPECT_EQ(w.StateOf(job, 4), TaskState::kPending);
  w.Reload();
  EXPECT_EQ(*LeftOf(w.state(), w.state().jobs.Get(job)), Money());
}

TEST(MaxCost, NeverPassesUnderRandomEnds) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Lab lab;
    CoreWorld& w = lab.w;
    SeededRandom random(seed);
    const Money most = Money::Micros(5'000'000 + static_cast<int64_t>(random.Below(30'000'000)));
    JobRequest request = w.Job("a100", Duration::Hours(1));
    request.max_cost = most;
    request.array = "0-9";
    request.retries = 2;
    const JobId job = w.Submit("alice", request);
    for (int i = 0; i < 40; ++i) {
      const int32_t index = static_cast<int32_t>(random.Below(10));
      const TaskState state = w.StateOf(job, index);
      if (state == TaskState::kStarting) w.Run(job, index);
      w.Advance(Duration::Seconds(static_cast<int64_t>(random.Below(900))));
      if (state == TaskState::kRunning) {
        if (random.Below(2) == 0) {
          w.Exit(job, static_cast<int32_t>(random.Below(2)), index);
        } else {
          w.End(job, EndReason::kSpotReclaim, index);
        }
      }
      Money held;
      for (const auto& [id, hold] : w.store().tables().holds) {
        if (!hold.closed_at) held += hold.amount - hold.posted;
      }
      ASSERT_LE(w.JobOf(job).charged + held, most);
    }
  }
}

TEST(MaxCost, BoundsALongerLimitOfRunningWork) {
  Lab lab;
  CoreWorld& w = lab.w;
  const JobId job = lab.Submit(Duration::Hours(1), Money::Whole(18));
  w.Run(job);
  EditJob edit;
  edit.actor = w.Admin();
  edit.job = job;
  edit.set_time = true;
  edit.time_limit = Duration::Hours(3);
  EXPECT_EQ(w.Do(edit).reason, Reason::kOk);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(18));
  EXPECT_EQ(w.AttemptOf(job).time_limit, Duration::Minutes(90));
  edit.time_limit = Duration::Minutes(30);
  EXPECT_EQ(w.Do(edit).reason, Reason::kOk);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(6));
}

TEST(MaxCost, TooLittleForAMinuteIsRefused) {
  Lab lab;
  JobRequest request = lab.w.Job("a100", Duration::Hours(1));
  request.max_cost = Money::Micros(190'000);  // a minute is 0.20
  const Reply refused = lab.w.TrySubmit("alice", request);
  EXPECT_EQ(refused.reason, Reason::kBudget);
  EXPECT_NE(refused.detail.find("--max-cost of ¥0.19"), std::string::npos) << refused.detail;
  request.max_cost = Money::Micros(200'000);
  EXPECT_EQ(lab.w.TrySubmit("alice", request).reason, Reason::kOk);
  request.max_cost = -Money::Whole(1);
  EXPECT_EQ(lab.w.TrySubmit("alice", request).reason, Reason::kBadRequest);
}

TEST(MaxCost, NeedsMoneyForNoMoreThanItself) {
  CoreWorld w;
  w.Deposit("alice", 10);
  w.AddNode("box", "a100", 1);
  JobRequest request = w.Job("a100", Duration::Hours(5));
  EXPECT_EQ(w.TrySubmit("alice", request).reason, Reason::kBudget);
  request.max_cost = Money::Whole(10);
  const JobId job = w.Submit("alice", request);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(10));
  EXPECT_EQ(QuoteJob(w.state(), w.By("alice"), request).price.at_most, Money::Whole(10));
}

TEST(MaxRate, WaitsWhileAnHourIsDearer) {
  Lab lab;
  CoreWorld& w = lab.w;
  JobRequest request = w.Job("a100", Duration::Hours(1));
  request.max_rate = Rate::MicrosPerUnitHour(10'000'000);
  const JobId job = w.Submit("alice", request);
  EXPECT_EQ(w.WhyWaits(job), Reason::kPriceAboveCap);
  const Explanation why = Explain(w.state(), job);
  EXPECT_NE(why.text.find("costs ¥12.00, above its --max-rate of ¥10.00"), std::string::npos)
      << why.text;
  w.SetRate("a100", Rate::MicrosPerUnitHour(10'000'000));
  w.Advance(Duration::Minutes(1));
  EXPECT_EQ(w.StateOf(job), TaskState::kStarting);
}

TEST(MaxRate, LeavesADearPackageAlone) {
  Lab lab;
  CoreWorld& w = lab.w;
  w.Buy(w.Package("a100", 10, Money::Whole(150), {{"alice", 1}}));  // 15.00 an hour
  JobRequest request = w.Job("a100", Duration::Hours(1));
  request.max_rate = Rate::MicrosPerUnitHour(12'000'000);
  const JobId job = w.Submit("alice", request);
  EXPECT_EQ(w.AttemptOf(job).source, Source::kOnDemand);
  request.source = Wish::kPackage;
  const JobId dear = w.Submit("alice", request);
  EXPECT_EQ(w.WhyWaits(dear), Reason::kPriceAboveCap);
}

TEST(MinBlock, IsTheMinimumOrABlockOfAWholeNode) {
  CoreWorld w;
  w.AddNode("box", "a100", 8);
  State state = LoadState(w.store().Load());
  BillingRow row;
  row.tier = w.Tier("a100");
  row.rule.rate = Rate::MicrosPerUnitHour(11'000'000);
  row.rule.minimum = Duration::Minutes(30);
  row.rule.block = Duration::Hours(1);
  state.billing[{row.tier, Source::kOnDemand}].push_back(row);
  const Need need{w.Member("alice"),  {},           row.tier, Wish::kAny, 1,
                  Duration::Hours(1), std::nullopt, Rate()};
  EXPECT_EQ(PriceOf(state, need).min_block, Money::Whole(88));
  state.billing.begin()->second[0].rule.minimum = Duration::Hours(2);
  EXPECT_EQ(PriceOf(state, need).min_block, Money::Whole(176));
  state.billing.begin()->second[0].valid_from = w.now + Duration::Days(1);
  EXPECT_EQ(PriceOf(state, need).min_block, Money()) << "not in force yet";
}

}  // namespace
}  // namespace pinka::test
