// A small language for tables of the books: one step a line, columns by spaces, # for remarks. It
// plays on a CoreWorld, so that every step is committed, audited and recoverable.
//
//   node    box a100 1                       # a machine of a tier with so many units
//   lot     A alice 5.00 [ends 2d] [tier t4] [from bob]
//   package P a100 700 800.00 alice=1,lab=1 [payer bob] [borrow free|none|3] [ends 6h] [lapse
//   overhead] limit   each|all SCOPE RESOURCE AMOUNT [period month] [tier t4] [block 80] rule
//   a100 12.00 [minimum 60m] [block 60m] [up 0.01] [stopped 0.60] [egress 0.80] rate a100 2.490001
//   submit  j1 alice a100 2h [units 2] [source package]
//   start   j1                               # its processes run
//   wait    45m                              # or: until 2026-10-01 00:00
//   meter   j1                               # its meter is stored
//   saved   j1 40m                           # it has written a checkpoint at that run time
//   end     j1 [REASON]                      # Exited with 0 if not said
//   refund  r1 j1 4.00|1h30m|all             # KEY JOB WHAT
//   correct c1 j1 -1.50                      # of its first charge
//   transfer t1 alice bob 3.00
//   withdraw w1 alice 3.00
//   stop    box [egress 12.5] [keep]         # its rental is closed by hand
//   remove  box
//   refused REASON  step ...                 # the step is refused so, and leaves no entry behind
//
//   = lot A        CREDITED POSTED HELD AVAILABLE
//   = hold j1      AMOUNT POSTED STATE
//   = account KIND OWNER AMOUNT              # received less given
//   = portion P alice  LEFT USED BORROWED    # unit-hours
//   = job j1       STATE
//   = rental box   BILLED MEMBERS LAB IDLE ROUNDING VARIANCE
//   = entries KIND N
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/core_world.h"

namespace pinka::test {

// Plays a script; every line that does not hold fails the running test with its number and text.
void PlayLedger(const std::string& script, Timestamp start = At(2026, 9, 30, 12));

}  // namespace pinka::test
