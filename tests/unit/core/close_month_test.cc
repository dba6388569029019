// The end of a month: what ran in it stands in it, and then it never changes (semantics.md 9).
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

const Timestamp kSeptember = At(2026, 9, 30, 12);
const Timestamp kOctober = At(2026, 10, 1);

Money ChargedIn(const CoreWorld& w, Timestamp month) {
  const PeriodRow& period = w.Month(month);
  Money sum;
  for (const TransferRow& row : w.Transfers(TransferKind::kCharge)) {
    if (period.start_at <= row.at && row.at < period.end_at) sum += row.amount;
  }
  return sum;
}

void Meter(CoreWorld& w, JobId job, Duration ran) {
  w.Do(StoreMeters{{{w.Attempt(job), ran.millis(), 0}}});
}

// 72 h on four cards from 30 September, noon.
JobId LongRun(CoreWorld& w) {
  w.Deposit("lab", 5'000);
  w.AddNode("box", "a100", 4);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(72), 4));
  w.Run(job);
  w.AdvanceTo(kOctober - Duration::Minutes(1));
  Meter(w, job, Duration::Hours(12) - Duration::Minutes(1));
  return job;
}

TEST(CloseMonth, CountsAJobAcrossTwoMonthsOnce) {
  CoreWorld w(kSeptember);
  const JobId job = LongRun(w);
  w.AdvanceTo(kOctober + Duration::Minutes(1));
  const Reply early = w.Close(kSeptember);
  EXPECT_EQ(early.reason, Reason::kConflict);
  EXPECT_EQ(early.detail,
            "1_0.1 of alice has not been metered past the end of 2026-09; wait for its next meter, "
            "or close with --force, and the rest is charged in the open month");
  Meter(w, job, Duration::Hours(12) + Duration::Minutes(1));
  const Reply closed = w.Close(kSeptember);
  EXPECT_EQ(closed.reason, Reason::kOk) << closed.detail;
  EXPECT_EQ(closed.count, 1);
  w.AdvanceTo(At(2026, 10, 3, 12));
  w.Exit(job, 0);
  EXPECT_EQ(ChargedIn(w, kSeptember), Money::Whole(576));
  EXPECT_EQ(ChargedIn(w, kOctober), Money::Whole(2'880));
  const MonthRow& row = w.store().tables().months.at(w.Month(kSeptember).start_at);
  EXPECT_EQ(row.end_at, kOctober);
  EXPECT_EQ(row.closed_at, kOctober + Duration::Minutes(1));
  EXPECT_FALSE(row.forced);
  EXPECT_EQ(row.by, w.Member("admin"));
}

TEST(CloseMonth, ByForcePutsWhatWasNotMeteredIntoTheOpenMonthAndMarksIt) {
  CoreWorld w(kSeptember);
  const JobId job = LongRun(w);
  w.AdvanceTo(kOctober + Duration::Hours(1));
  const Reply closed = w.Close(kSeptember, true);
  EXPECT_EQ(closed.reason, Reason::kOk) << closed.detail;
  EXPECT_EQ(closed.lines,
            std::vector<std::string>{"1_0.1 of alice: the rest is charged in the open month"});
  EXPECT_TRUE(w.store().tables().months.begin()->second.forced);
  Meter(w, job, Duration::Hours(13));
  w.AdvanceTo(At(2026, 10, 3, 12));
  w.Exit(job, 0);
  EXPECT_EQ(ChargedIn(w, kSeptember), Money());
  EXPECT_EQ(ChargedIn(w, kOctober), Money::Whole(3'456));
  const TransferRow first = w.Transfers(TransferKind::kCharge).front();
  EXPECT_EQ(first.at, kOctober);
  EXPECT_EQ(first.amount, Money::Whole(576));
  EXPECT_EQ(first.reason, "run in 2026-09, which was closed before this was metered");
}

TEST(CloseMonth, TwiceChangesNothingAndSaysSo) {
  CoreWorld w(kSeptember);
  w.AdvanceTo(kOctober);
  EXPECT_EQ(w.Close(kSeptember).count, 1);
  const std::string before = w.core().Digest();
  const Reply again = w.Close(kSeptember, true);
  EXPECT_EQ(again.reason, Reason::kOk);
  EXPECT_EQ(again.count, 0);
  EXPECT_EQ(again.note, "2026-09 is closed already; nothing was changed");
  EXPECT_EQ(w.Close(At(2026, 8, 2)).note, "2026-08 is closed already; nothing was changed");
  EXPECT_EQ(w.core().Digest(), before);
}

TEST(CloseMonth, IsTheSameAtAnySecondAfterTheEnd) {
  for (const Duration after : {Duration(), Duration::Seconds(1), Duration::Hours(8)}) {
    CoreWorld w(At(2026, 8, 31, 23, 30));
    w.Deposit("lab", 100);
    w.AddNode("box", "t4", 4);
    const JobId across = w.Submit("alice", w.Job("t4", Duration::Hours(1)));
    w.Run(across);
    w.AdvanceTo(At(2026, 9, 1));
    Meter(w, across, Duration::Minutes(30));
    w.AdvanceTo(At(2026, 9, 1) + after);
    const Reply closed = w.Close(At(2026, 8, 31));
    EXPECT_EQ(closed.reason, Reason::kOk) << closed.detail;
    w.AdvanceTo(At(2026, 9, 1) + Duration::Hours(9));
    w.End(across, EndReason::kTimeLimit, 0, Duration::Hours(1).millis());
    EXPECT_EQ(ChargedIn(w, At(2026, 8, 31)), Money::Whole(1));
    EXPECT_EQ(ChargedIn(w, At(2026, 9, 1)), Money::Whole(1));
  }
}

TEST(CloseMonth, IsRefused) {
  CoreWorld w(kSeptember);
  EXPECT_EQ(w.Close(kSeptember, true).detail,
            "2026-09 is not over; close it when it has ended, or see how it stands with `pinka "
            "admin settle --month 2026-09 --dry-run`");
  w.AdvanceTo(At(2026, 12, 5));
  const PeriodRow september = w.Month(kSeptember);
  CloseMonth command{w.By("alice"), {}, september.start_at, september.end_at, false};
  EXPECT_EQ(w.Do(command).reason, Reason::kNotPermitted);
  command.actor = w.Admin();
  command.end_at = september.end_at - Duration::Hours(1);
  EXPECT_EQ(w.Do(command).detail, "that is no month of the lab's calendar");
  EXPECT_TRUE(w.store().tables().months.empty());
  EXPECT_EQ(w.Close(kSeptember).count, 1);
  EXPECT_EQ(w.Close(At(2026, 11, 1)).detail,
            "2026-10 is still open, and months are closed one after the other; close it first with "
            "`pinka admin close --month 2026-10`");
  EXPECT_EQ(w.Close(kOctober).count, 1);
  EXPECT_EQ(w.Close(At(2026, 11, 1)).count, 1);
}

TEST(CloseMonth, OfALabThatRestedGoesOnWhereTheCalendarNoLongerReaches) {
  CoreWorld w(kSeptember);
  w.AdvanceTo(kOctober);
  ASSERT_EQ(w.Close(kSeptember).count, 1);
  w.AdvanceTo(At(2027, 3, 1));
  w.Reload();
  ASSERT_EQ(PeriodAt(w.state(), Period::kMonth, kOctober), nullptr);
  const CloseMonth october{w.Admin(), {}, kOctober, At(2026, 11, 1), false};
  EXPECT_EQ(w.Do(october).count, 1);
}

TEST(CloseMonth, FollowsTheZoneOverSummerTime) {
  // Berlin: October 2026 has a 25-hour day; it starts at 22:00 UTC and ends at 23:00 UTC.
  const Timestamp start = At(2026, 10, 1, 6);
  const Timestamp end = At(2026, 11, 1, 7);
  EXPECT_EQ((end - start).seconds(), (31 * 24 + 1) * 3'600);
  EXPECT_EQ(MonthName(start), "2026-10");
  EXPECT_EQ(MonthName(end), "2026-11");
  EXPECT_EQ(MonthName(At(2028, 2, 1)), "2028-02");
  EXPECT_EQ(MonthName(At(2027, 12, 1)), "2027-12");
  EXPECT_EQ(MonthName(At(2024, 12, 1, 20)), "2024-12") << "west of Greenwich";
}

}  // namespace
}  // namespace pinka::test
