// The worked numbers of semantics.md 7 to 9 as tables (tests/support/ledger_script.h).
#include <gtest/gtest.h>

#include "tests/support/ledger_script.h"

namespace pinka::test {
namespace {

TEST(LedgerTable, AHoldOfTwentyFourSettledAtNineReleasesFifteen) {
  PlayLedger(R"(
    node   box a100 1
    lot    A   alice 30.00
    submit j1  alice a100 2h              # 12.00 an hour
    start  j1
    #           CREDITED POSTED HELD  AVAILABLE
    = lot  A       30.00   0.00 24.00      6.00
    wait   45m
    end    j1
    = lot  A       30.00   9.00  0.00     21.00
    #           AMOUNT POSTED STATE
    = hold j1    24.00   9.00 settled
    = account spent alice 9.00
  )");
}

TEST(LedgerTable, LotsBurnSoonestFirstAndRefundsGoBackLastFirst) {
  PlayLedger(R"(
    node   box a100 1
    lot    A   alice  5.00 ends 2d        # Friday
    lot    B   alice 20.00 ends 4d        # Sunday
    submit j1  alice a100 2h
    start  j1
    = lot  A        5.00   0.00  5.00      0.00
    = lot  B       20.00   0.00 19.00      1.00
    wait   40m
    end    j1
    = lot  A        5.00   5.00  0.00      0.00
    = lot  B       20.00   3.00  0.00     17.00
    refund r1  j1 4.00
    = lot  A        5.00   4.00  0.00      1.00   # 1.00
    = lot  B       20.00   0.00  0.00     20.00   # 3.00
    refused Insufficient refund r2 j1 4.000001
    refused BadRequest   refund r2 j1 0.00
    refused Conflict     refund r1 j1 3.00        # the key is of 4.00
    refund r2  j1 all
    = account spent alice 0.00
    = entries refund 3
  )");
}

TEST(LedgerTable, OfAnEndedLotARefundMakesANewOne) {
  PlayLedger(R"(
    node   box a100 1
    lot    A   alice 20.00 ends 1d from bob
    submit j1  alice a100 1h
    start  j1
    wait   30m
    end    j1
    wait   2d
    = account lapsed alice 14.00
    refund r1  j1 6.00
    withdraw w1 alice 6.00
    = account paid_in bob -14.00          # what he has brought in, less what he got back
    refused Insufficient withdraw w2 alice 0.01
  )");
}

TEST(LedgerTable, SevenHundredHoursForEightHundredEndAtEightHundred) {
  PlayLedger(R"(
    node    box a100 7
    package P   a100 700 800.00 alice=1
    submit  j1  alice a100 70h units 7
    start   j1
    wait    70h
    end     j1 TimeLimit
    = account spent alice 560.00          # 490 of 700 hours
    submit  j2  alice a100 30h units 7
    start   j2
    wait    30h
    end     j2 TimeLimit
    = account spent alice 800.00
    = account inventory lab 0.00
    #                LEFT   USED BORROWED
    = portion P alice 0.00 700.00     0.00
  )");
}

TEST(LedgerTable, HoursComeBackWhileThePackageIsOpenThenAsMoneyFromOverhead) {
  PlayLedger(R"(
    node    box a100 1
    package P   a100 10 80.00 alice=1,bob=1 payer bob ends 12h
    submit  j1  alice a100 4h
    start   j1
    wait    4h
    end     j1 TimeLimit
    = account spent alice 32.00
    refund  r1  j1 1h30m
    = account spent alice 20.00
    = portion P alice 2.50 2.50 0.00
    = account inventory lab 60.00
    refused BadRequest   refund r2 j1 1.00        # hours were charged
    refused Insufficient refund r2 j1 2h31m
    wait    9h                                    # it has ended
    = account lapsed alice 20.00
    = account lapsed bob   40.00
    = account inventory lab 0.00
    refund  r3  j1 30m
    = account spent alice 16.00
    = account overhead_other lab 4.00
    refund  r4  j1 all
    = account spent alice 0.00
    = account overhead_other lab 20.00
    refused Insufficient refund r5 j1 all
  )");
}

TEST(LedgerTable, BorrowedHoursGoBackToTheLender) {
  PlayLedger(R"(
    node    box a100 1
    package P   a100 8 8.00 alice=1,bob=3 borrow 3
    submit  j1  alice a100 5h
    start   j1
    wait    4h
    end     j1
    = portion P alice 0.00 2.00 2.00
    = portion P bob   4.00 2.00 0.00
    refund  r1  j1 1h
    = portion P alice 0.00 2.00 1.00
    = portion P bob   5.00 1.00 0.00
  )");
}

TEST(LedgerTable, TwoJobsInOnePaidHourLeaveTheRestIdle) {
  PlayLedger(R"(
    lot    A   lab 100.00
    rule   a100 12.00 minimum 60m block 60m
    node   box a100 1
    submit j1 alice a100 1h
    start  j1
    wait   20m
    end    j1
    submit j2 bob a100 1h
    start  j2
    wait   25m
    end    j2
    wait   15m
    remove box
    = account spent alice 4.00
    = account spent bob   5.00
    #            BILLED MEMBERS  LAB IDLE ROUNDING VARIANCE
    = rental box  12.00    9.00 0.00 3.00     0.00     0.00
  )");
}

TEST(LedgerTable, BlocksAndMinimumsBindTheLab) {
  const struct {
    const char* rule;
    const char* up;
    const char* billed;
  } table[] = {{"minimum 60m block 60m", "5m", "12.00"},
               {"minimum 60m block 60m", "60m", "12.00"},
               {"minimum 60m block 60m", "61m", "24.00"},
               {"minimum 60s block 1s", "10s", "0.20"},
               {"block 1s up 0.01", "37s", "0.13"}};
  for (const auto& row : table) {
    PlayLedger(std::string("rule a100 12.00 ") + row.rule + "\nnode box a100 1\nwait " + row.up +
               "\nstop box\n= rental box " + row.billed);
  }
}

TEST(LedgerTable, AutoDlRoundsEachSegmentUpToACent) {
  std::string script = "rule a100 12.00 block 1s up 0.01\n";
  for (int n = 0; n < 100; ++n) {
    script += "node b" + std::to_string(n) + " a100 1\nwait 37s\nstop b" + std::to_string(n) + "\n";
  }
  // 100 x 37 s are 12.333333 (each rounded by itself: 12.333300); 13.00 are billed.
  PlayLedger(script + "= account idle lab 12.3333\n= account rounding lab 0.6667");
}

TEST(LedgerTable, AMachineThatIsKeptCostsItsStoppedRateAndWhatLeftIt) {
  PlayLedger(R"(
    rule   a100 12.00 minimum 60m block 60m stopped 0.60 egress 0.80
    node   box a100 1
    wait   1h
    stop   box egress 12.5 keep x
    = account egress lab 10.00            # 12.5 GB
    = account idle   lab 12.00
    wait   90m
    stop   box
    = rental box   1.20 0.00 0.00 0.90 0.30 0.00
    refused Conflict stop box keep x
  )");
}

TEST(LedgerTable, AMonthEndsWithRunningWork) {
  PlayLedger(R"(
    lot    A   alice 4000.00
    node   box a100 4
    submit j1 alice a100 72h units 4
    start  j1
    until  2026-10-01 00:01
    meter  j1
    = account spent alice 576.00          # September
    until  2026-10-03 12:00
    end    j1 TimeLimit
    = account spent alice 3456.00         # and 2,880.00 in October
    = entries charge 2
  )");
}

TEST(LedgerTable, SpotReclaimIsPaidUpToTheLastCheckpoint) {
  PlayLedger(R"(
    lot    A   alice 50.00
    node   box a100 1
    submit j1 alice a100 2h
    start  j1
    wait   60m
    saved  j1 40m
    end    j1 SpotReclaim
    = hold j1 24.00 8.00 settled
    = account overhead_other lab 4.00
  )");
}

TEST(LedgerTable, LimitsStopWhatWouldCrossThem) {
  PlayLedger(R"(
    lot    A   lab 100.00
    node   box a100 4
    limit  each lab money 30 period month
    submit j1 alice a100 2h
    = job  j1 STARTING
    submit j2 alice a100 1h               # 24.00 + 12.00
    = job  j2 PENDING
    submit j3 bob a100 1h
    = job  j3 STARTING
    start  j1
    wait   80m
    end    j1                             # 16.00: 14.00 are left
    = job  j2 STARTING
    refused Budget submit j4 alice a100 3h        # 36.00 never fit
  )");
}

TEST(LedgerTable, FromAThresholdOnNothingNewStarts) {
  PlayLedger(R"(
    lot    A   lab 100.00
    node   box a100 4
    limit  all lab money 40 block 60
    submit j1 alice a100 2h               # 24.00: 60 %
    = job  j1 STARTING
    submit j2 bob a100 1h                 # 36.00 would fit
    = job  j2 PENDING
    start  j1
    wait   60m
    end    j1                             # 12.00
    = job  j2 STARTING
  )");
}

}  // namespace
}  // namespace pinka::test
