// time.cc: everything due happens first, in time order; and when to wake up next.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Time, DoesWhatIsDueInOrderHoweverLongNobodyAsked) {
  CoreWorld w;
  const LotId first = w.Deposit("alice", Money::Whole(1), w.now + Duration::Hours(1));
  const LotId second = w.Deposit("alice", Money::Whole(1), w.now + Duration::Hours(2));
  w.Advance(Duration::Days(20));
  const auto lapses = w.Transfers(TransferKind::kLapse);
  ASSERT_EQ(lapses.size(), 2u);
  EXPECT_EQ(lapses[0].at, w.Lot(first).ends_at);
  EXPECT_EQ(lapses[1].at, w.Lot(second).ends_at);
}

TEST(Wakeup, IsTheNextThingDue) {
  CoreWorld w;
  EXPECT_EQ(w.core().NextWakeup(), At(2026, 10, 1)) << "a day begins";
  w.Deposit("alice", Money::Whole(50), w.now + Duration::Minutes(7));
  EXPECT_EQ(w.core().NextWakeup(), w.now + Duration::Minutes(7));
  w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.core().NextWakeup(), w.now + Duration::Minutes(1)) << "somebody waits: a pass";
}

TEST(Wakeup, IsNeverInThePast) {
  CoreWorld w;
  w.Deposit("lab", 100);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Exit(job, 0);
  for (int n = 0; n < 200; ++n) {
    const Timestamp next = w.core().NextWakeup();
    ASSERT_GT(next, w.now);
    if (next == Timestamp::Never()) break;
    w.AdvanceTo(next);
  }
}

TEST(EndedJobs, StayInMemoryForTenMinutes) {
  CoreWorld w;
  const JobId job = [&] {
    w.Deposit("lab", 100);
    return w.Submit("alice", w.Job("a100"));
  }();
  w.Change("alice", JobVerb::kCancel, job);
  w.Advance(Duration::Minutes(10) - Duration::Micros(1));
  EXPECT_NE(w.state().jobs.Find(job), nullptr);
  w.Advance(Duration::Micros(1));
  EXPECT_EQ(w.state().jobs.Find(job), nullptr);
}

TEST(AgeCap, MovesAJobToTheCappedWithoutATick) {
  CoreWorld w;
  w.Deposit("lab", 100);
  const JobId job = w.Submit("alice", w.Job("a100"));
  const auto queue = [&]() -> const Queue& {
    return w.state().queues.at(w.Tier("a100")).at({w.Member("alice"), {}});
  };
  EXPECT_EQ(queue().young.size(), 1u);
  w.Advance(Duration::Days(7));
  EXPECT_EQ(queue().young.size(), 0u);
  EXPECT_EQ(queue().capped.begin()->job, job);
}

TEST(Calendar, TakesEachPeriodOnce) {
  CoreWorld w;
  const size_t before = w.state().months.size();
  AddPeriods again;
  again.periods = w.state().months;
  again.periods.push_back({Period::kMonth, At(2030, 1, 1), At(2030, 2, 1)});
  w.Do(again);
  EXPECT_EQ(w.state().months.size(), before + 1);
}

TEST(UseOfTheHour, IsSkippedWhereNobodyUsesAnything) {
  CoreWorld w;
  w.Advance(Duration::Days(3'000));
  EXPECT_GT(w.state().lab.usage_hour + Duration::Hours(1), w.now);
}

}  // namespace
}  // namespace pinka::test
