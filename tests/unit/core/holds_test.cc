// Hold, post, settle, void: the worked numbers of semantics.md 8 and 9, and C23 to C26.
#include "scheduler/core/holds.h"

#include <gtest/gtest.h>

#include "scheduler/core/limits.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

Money Yuan(int64_t micros) { return Money::Micros(micros); }

TEST(Hold, Of2400WithAnActualOf900SettlesNineAndReleasesFifteen) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", 30);
  w.AddNode("box", "a100", 2);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(24));
  EXPECT_EQ(w.Available("alice"), Money::Whole(6));
  w.Run(job);
  w.Advance(Duration::Minutes(45));
  w.Exit(job, 0);
  EXPECT_EQ(w.HoldOf(job).state, HoldState::kSettled);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(9));
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(9));
  EXPECT_EQ(w.Available("alice"), Money::Whole(21));
  const auto charges = w.Transfers(TransferKind::kCharge);
  ASSERT_EQ(charges.size(), 1u);
  EXPECT_EQ(charges[0].amount, Money::Whole(9));
  EXPECT_EQ(charges[0].unit_ms, 45 * 60'000);
  EXPECT_EQ(charges[0].attempt, w.Attempt(job));
}

TEST(Hold, BurnsNarrowThenSoonestAndSettlesFirstLineFirst) {
  CoreWorld w;
  const LotId b = w.Deposit("alice", Money::Whole(20), w.now + Duration::Days(3));
  const LotId a = w.Deposit("alice", Money::Whole(5), w.now + Duration::Days(1));
  const LotId lab = w.Deposit("lab", Money::Whole(50), w.now + Duration::Hours(6));
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Minutes(130)));  // 26.00
  EXPECT_EQ(w.Lot(a).held, Money::Whole(5));
  EXPECT_EQ(w.Lot(b).held, Money::Whole(20));
  EXPECT_EQ(w.Lot(lab).held, Money::Whole(1));
  w.Run(job);
  w.Advance(Duration::Minutes(40));
  w.Exit(job, 0);  // 8.00
  EXPECT_EQ(w.Lot(a).posted, Money::Whole(5));
  EXPECT_EQ(w.Lot(b).posted, Money::Whole(3));
  EXPECT_EQ(w.Lot(lab).posted, Money());
  EXPECT_EQ(w.Lot(lab).held, Money());
}

TEST(Hold, UsesOnlyItsOwnLinesAlsoWhenASoonerLotHasArrived) {
  CoreWorld w;
  const LotId old = w.Deposit("alice", 20);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  const LotId sooner = w.Deposit("alice", Money::Whole(20), w.now + Duration::Hours(5));
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0);
  EXPECT_EQ(w.Lot(old).posted, Money::Whole(6));
  EXPECT_EQ(w.Lot(sooner).posted, Money());
}

TEST(Post, OfFiveThousandTicksOfSevenSecondsSumsExactly) {
  CoreWorld w;
  w.Advance(Duration::Seconds(1));
  w.SetRate("t4", Rate::MicrosPerUnitHour(2'490'001));
  w.Deposit("lab", 100);
  w.AddNode("box", "t4", 1);
  const JobId job = w.Submit("alice", w.Job("t4", Duration::Hours(10)));
  State state = w.state();
  const AttemptRow attempt = state.attempts.Get(w.Attempt(job));
  for (int64_t tick = 1; tick <= 5'000; ++tick) PostUpTo(state, attempt, tick * 7'000, state.now);
  EXPECT_EQ(state.holds.Get(attempt.id).posted, Yuan(24'208'343));
  int64_t unit_ms = 0;
  for (const TransferRow& row : state.out.transfers) unit_ms += row.unit_ms;
  EXPECT_NEAR(static_cast<double>(unit_ms), 35'000'000.0, 5'000.0);
}

TEST(Hold, OutlivesItsLotAndWhatIsLeftLapses) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", Money::Whole(20), w.now + Duration::Minutes(30));
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));  // 12.00
  w.Run(job);
  w.Advance(Duration::Minutes(31));
  EXPECT_EQ(w.Lot(lot).credited, Money::Whole(12)) << "what was free has lapsed";
  EXPECT_FALSE(w.Lot(lot).lapsed);
  EXPECT_EQ(w.StateOf(job), TaskState::kRunning);
  w.Advance(Duration::Minutes(14));
  w.Exit(job, 0);  // 9.00
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(9));
  EXPECT_EQ(w.Lot(lot).credited, Money::Whole(9));
  EXPECT_TRUE(w.Lot(lot).lapsed);
  EXPECT_EQ(w.Transfers(TransferKind::kLapse).size(), 2u);
}

TEST(Hold, OfAllThatALotHadEndsTheLotWithIt) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", Money::Whole(12), w.now + Duration::Minutes(30));
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Hours(1));
  w.End(job, EndReason::kTimeLimit);
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(12));
  EXPECT_TRUE(w.Lot(lot).lapsed);
}

// September's hour is posted on a lot that ends before the attempt does.
struct AccruedOnALotThatEnds {
  AccruedOnALotThatEnds() : w(At(2026, 9, 30, 23)) {
    lot = w.Deposit("alice", Money::Whole(12), At(2026, 10, 1, 0, 30));
    w.Deposit("alice", 30);
    w.AddNode("box", "a100", 1);
    job = w.Submit("alice", w.Job("a100", Duration::Hours(3)));
    w.Run(job);
    w.AdvanceTo(At(2026, 10, 1, 0, 1));
    w.Do(StoreMeters{{{w.Attempt(job), 61 * 60'000, 0}}});
    EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(12));
    w.AdvanceTo(At(2026, 10, 1, 1));
    EXPECT_EQ(w.Available("alice"), Money::Whole(6));
  }
  CoreWorld w;
  LotId lot;
  JobId job;
};

TEST(Hold, KeepsALotThatAnAccrualHasEmptiedUntilItsEnd) {
  AccruedOnALotThatEnds lab;
  EXPECT_FALSE(lab.w.Lot(lab.lot).lapsed);
  lab.w.Reload();
  lab.w.Exit(lab.job, 0);
  EXPECT_EQ(lab.w.HoldOf(lab.job).posted, Money::Whole(24));
  EXPECT_TRUE(lab.w.Lot(lab.lot).lapsed);
}

TEST(Hold, ThatTheLabPaysTakesBackWhatLiesOnALotThatHasEnded) {
  AccruedOnALotThatEnds lab;
  lab.w.End(lab.job, EndReason::kHardwareLost);
  EXPECT_EQ(lab.w.HoldOf(lab.job).posted, Money());
  EXPECT_EQ(lab.w.Lot(lab.lot).posted, Money()) << "given back, and then lapsed";
  EXPECT_EQ(lab.w.Lot(lab.lot).credited, Money());
  EXPECT_EQ(lab.w.Available("alice"), Money::Whole(30));
}

TEST(Hold, OfWhatCostsNothingCountsItsUnitTime) {
  CoreWorld w;
  w.SetRate("t4", Rate());
  w.Advance(Duration::Seconds(1));
  w.AddNode("box", "t4", 2);
  const LimitId limit = w.Limit(LimitResource::kUnitHours, 3 * 3'600'000, "alice", LimitOf::kAll);
  const JobId job = w.Submit("alice", w.Job("t4", Duration::Hours(1), 2));
  w.Run(job);
  w.Advance(Duration::Hours(1));
  w.Exit(job, 0);
  EXPECT_EQ(UsedOf(w.state(), w.state().limits.Get(limit), w.Member("alice")), 2 * 3'600'000);
  const JobId more = w.Submit("alice", w.Job("t4", Duration::Hours(1), 2));
  EXPECT_EQ(w.StateOf(more), TaskState::kPending) << "4 of 3 unit-hours";
}

TEST(Accrual, SplitsSeventyTwoHoursOfFourGpusAtTheMonthsEnd) {
  CoreWorld w(At(2026, 9, 30, 12));
  w.Deposit("lab", 5'000);
  w.AddNode("box", "a100", 4);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(100), 4));
  w.Run(job);
  for (int hour = 1; hour < 72; ++hour) {
    w.Advance(Duration::Hours(1));
    w.Do(StoreMeters{{{w.Attempt(job), hour * 3'600'000, 0}}});
  }
  w.Advance(Duration::Hours(1));
  w.Exit(job, 0);
  const auto charges = w.Transfers(TransferKind::kCharge);
  ASSERT_EQ(charges.size(), 2u);
  EXPECT_EQ(charges[0].amount, Money::Whole(576));
  EXPECT_EQ(charges[0].at, At(2026, 10, 1) - Duration::Micros(1));
  EXPECT_EQ(charges[1].amount, Money::Whole(2'880));
  EXPECT_EQ(charges[0].unit_ms + charges[1].unit_ms, int64_t{4} * 72 * 3'600'000);
}

TEST(Accrual, HappensAlsoWhereTheEndIsTheFirstMeterPastTheBoundary) {
  CoreWorld w(At(2026, 9, 30, 23));
  w.Deposit("lab", 100);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(4)));
  w.Run(job);
  w.Advance(Duration::Hours(2));
  w.Exit(job, 0);
  const auto charges = w.Transfers(TransferKind::kCharge);
  ASSERT_EQ(charges.size(), 2u);
  EXPECT_EQ(charges[0].amount, Money::Whole(12));
  EXPECT_EQ(charges[1].amount, Money::Whole(12));
  EXPECT_LT(charges[0].at, At(2026, 10, 1));
}

TEST(Settle, GivesBackWhatAnAccrualChargedForWorkThatTheLabPays) {
  CoreWorld w(At(2026, 9, 30, 23));
  w.Deposit("alice", 100);
  w.AddNode("box", "a100", 1);
  JobRequest request = w.Job("a100", Duration::Hours(4));
  request.no_requeue = true;
  const JobId job = w.Submit("alice", request);
  w.Run(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 30));
  w.Do(StoreMeters{{{w.Attempt(job), 90 * 60'000, 0}}});
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(12));
  w.Advance(Duration::Minutes(30));
  w.End(job, EndReason::kNodeRebooted);
  EXPECT_EQ(w.HoldOf(job).posted, Money());
  EXPECT_EQ(w.Available("alice"), Money::Whole(100));
  const auto back = w.Transfers(TransferKind::kReversal);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].amount, Money::Whole(12));
  EXPECT_EQ(back[0].unit_ms, 3'600'000);
  EXPECT_EQ(back[0].at, w.now) << "closed months never change";
  EXPECT_EQ(w.store().tables().settlements.at(w.Attempt(job)).lab, Money::Whole(24));
}

TEST(Settle, LeavesSecondsPastTheLimitToTheLab) {
  CoreWorld w;
  w.Deposit("alice", 50);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Seconds(3'630));
  w.Agent("box").Find(w.Attempt(job))->overrun_ms = 30'000;
  w.End(job, EndReason::kTimeLimit);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(12));
  const auto lab = w.Transfers(TransferKind::kOverhead);
  ASSERT_EQ(lab.size(), 1u);
  EXPECT_EQ(lab[0].amount, Yuan(100'000));
  EXPECT_EQ(w.store().tables().accounts.at(lab[0].credit).kind, AccountKind::kOverheadOverrun);
  EXPECT_EQ(w.store().tables().settlements.at(w.Attempt(job)).lab, Yuan(100'000));
}

TEST(Settle, BoundsWhatANodeSaysByTheServersOwnTimes) {
  CoreWorld w;
  w.Deposit("alice", 50);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Minutes(10));
  w.Agent("box").Find(w.Attempt(job))->exited = true;
  w.End(job, EndReason::kExited, 0, INT64_MAX);
  EXPECT_EQ(w.AttemptOf(job).metered_ms, 600'000);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(2));
}

TEST(Settle, OfAVanishedNodeUsesTheLastStoredMeter) {
  CoreWorld w;
  w.Deposit("alice", 50);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Minutes(30));
  w.Do(StoreMeters{{{w.Attempt(job), 20 * 60'000, 5}}});
  w.Do(NodeSilent{w.Node("box"), {}});
  w.Advance(Duration::Hours(3));
  w.Do(AttemptsProvenOver{{w.Attempt(job)}, EndReason::kNodeLost});
  const auto lab = w.Transfers(TransferKind::kOverhead);
  ASSERT_EQ(lab.size(), 1u);
  EXPECT_EQ(lab[0].amount, Money::Whole(4));
  EXPECT_EQ(w.Available("alice"), Money::Whole(50)) << "the lab pays for a lost node";
}

TEST(Rate, IsFrozenForTheAttemptAndPricedWhenOrdered) {
  CoreWorld w;
  w.Deposit("alice", 100);
  w.AddNode("box", "a100", 1);
  const JobId first = w.Submit("alice", w.Job("a100"));
  const JobId second = w.Submit("alice", w.Job("a100"));
  w.Run(first);
  w.Advance(Duration::Minutes(30));
  w.SetRate("a100", Rate::MicrosPerUnitHour(20'000'000));
  w.Exit(first, 0);
  EXPECT_EQ(w.HoldOf(first).posted, Money::Whole(6));
  EXPECT_EQ(w.HoldOf(second).amount, Money::Whole(20));
}

// C23: two holds, one balance.
TEST(Balance, IsGivenToOneOfTwoThatTogetherExceedIt) {
  CoreWorld w;
  w.Deposit("alice", 25);
  w.AddNode("box", "a100", 60);
  const JobId one = w.Submit("alice", w.Job("a100", Duration::Minutes(100)));
  const JobId two = w.Submit("alice", w.Job("a100", Duration::Minutes(100)));
  EXPECT_EQ(w.StateOf(one), TaskState::kStarting);
  EXPECT_EQ(w.StateOf(two), TaskState::kPending);
  EXPECT_EQ(w.WhyWaits(two), Reason::kBudget);
  const auto poor = NotCovered(w.state(), w.Member("alice"), {}, w.Tier("a100"), Money::Whole(20));
  ASSERT_TRUE(poor);
  EXPECT_EQ(poor->short_by, Money::Whole(15));
  EXPECT_TRUE(poor->text.starts_with("needs ¥20.00, available ¥5.00")) << poor->text;
}

TEST(Balance, Of25FeedsExactly25OfFiftyHoldsOfOne) {
  CoreWorld w;
  w.Deposit("alice", 25);
  w.AddNode("box", "a100", 60);
  for (int n = 0; n < 50; ++n) w.Submit("alice", w.Job("a100", Duration::Minutes(5)));
  EXPECT_EQ(w.Running(), 25);
  EXPECT_EQ(w.Available("alice"), Money());
}

// C24: the answer to a settled end was lost, and the agent says it again and again.
TEST(Settlement, IsMadeOnceHoweverOftenTheEndIsReported) {
  CoreWorld w;
  w.Deposit("alice", 24);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  w.Run(job);
  w.Advance(Duration::Minutes(50));
  ObservedAttempt end;
  end.id = w.Attempt(job);
  end.state = ObservedAttempt::State::kEnded;
  end.end_reason = EndReason::kExited;
  end.exited = true;
  end.metered_ms = 50 * 60'000;
  w.Agent("box").report.attempts = {end};
  const AgentReport said = w.Agent("box").report;
  for (int n = 0; n < 10; ++n) {
    w.Do(said);
    if (n == 5) w.Reload();
  }
  EXPECT_EQ(w.Transfers(TransferKind::kCharge).size(), 1u);
  EXPECT_EQ(w.Available("alice"), Money::Whole(14));
  EXPECT_EQ(w.AttemptOf(job).message, "") << "a repeat is no news";
  AgentReport other = said;
  other.attempts[0].exit_code = 1;
  w.Do(other);
  EXPECT_EQ(w.Available("alice"), Money::Whole(14)) << "not the last one wins";
  EXPECT_EQ(w.StateOf(job), TaskState::kCompleted);
  EXPECT_EQ(w.store().tables().events.back().what, "late result");
}

// C25: holds of failed work are released.
TEST(Failures, LeaveTheBalanceWhole) {
  CoreWorld w;
  w.Deposit("alice", 100);
  w.AddNode("box", "a100", 1);
  for (int n = 0; n < 20; ++n) {
    JobRequest request = w.Job("a100");
    request.no_requeue = true;
    const JobId job = w.Submit("alice", request);
    ASSERT_EQ(w.HoldOf(job).amount, Money::Whole(12));
    switch (n % 4) {
      case 0:
        w.End(job, EndReason::kLaunchFailed);
        break;
      case 1:
        w.Do(NodeSilent{w.Node("box"), {}});
        w.Do(AttemptsProvenOver{{w.Attempt(job)}, EndReason::kNodeLost});
        w.Report("box");
        break;
      case 2:
        w.Do(NodeSilent{w.Node("box"), {w.Attempt(job)}});
        w.Report("box");
        w.Change("alice", JobVerb::kCancel, job);
        if (w.Running() > 0) {
          w.Agent("box").report.attempts.emplace_back().id = w.Attempt(job);
          w.Agent("box").report.attempts.back().state = ObservedAttempt::State::kAbsent;
          w.Report("box");
        }
        break;
      case 3:
        w.Reload();
        w.End(job, EndReason::kStagingFailed);
        break;
    }
    EXPECT_EQ(w.Available("alice"), Money::Whole(100)) << n;
    EXPECT_TRUE(IsTerminal(w.StateOf(job))) << n << " " << Name(w.StateOf(job));
    w.Report("box");
  }
  const JobId last = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.StateOf(last), TaskState::kStarting);
}

// C26: a duplicate that ends in an error touches nothing.
TEST(Duplicate, LeavesTheFirstJobsHoldAlone) {
  CoreWorld w;
  w.Deposit("alice", 30);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)), {"k1", "h1"});
  w.Run(job);
  const Reply again = w.TrySubmit("alice", w.Job("a100", Duration::Hours(2)), {"k1", "h1"});
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, job.value());
  const Reply other = w.TrySubmit("alice", w.Job("t4"), {"k1", "h2"});
  EXPECT_EQ(other.reason, Reason::kConflict);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Whole(24));
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0);
  EXPECT_EQ(w.HoldOf(job).posted, Money::Whole(6));
}

}  // namespace
}  // namespace pinka::test
