// What a replay comes to. Definitions (docs/simulate.md):
//   wait         first start - submit, of jobs that started
//   makespan     last end of work - first submit
//   utilisation  busy unit-time / unit-time of machines that were up, over the makespan
//   slowdown     (end - submit) / max(duration, 10 s), at least 1, of jobs that ended: bounded
//   Jain         (sum x)^2 / (n sum x^2) over x = the members' mean slowdowns: 1 is equal
//   service lag  the most unit-time that a member with waiting work was behind its share of what
//                its tier gave: shares of members with work there, since its queue last was empty
//   lost work    run time after the last checkpoint, of attempts that did not end by themselves
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/sim/replay.h"

namespace pinka::sim {

struct Waits {
  double mean_s = 0;
  double median_s = 0;
  double p95_s = 0;
};

struct MemberFigures {
  std::string name;
  int64_t jobs = 0;
  double unit_hours = 0;
  Waits waits;
  double slowdown = 0;  // mean
  double lag_unit_hours = 0;
};

struct TierFigures {
  std::string name;
  double unit_hours = 0;  // busy
  double utilization = 0;
};

struct Figures {
  int64_t jobs = 0;       // of the trace
  int64_t completed = 0;  // or failed, as in the trace
  int64_t infeasible = 0;
  std::map<std::string, int64_t> refused;  // those, by reason
  int64_t unfinished = 0;  // still open when nothing could happen any more, or stopped before
  Waits waits;
  double makespan_s = 0;
  double utilization = 0;
  double unit_hours = 0;
  double slowdown = 0;
  double jain = 1;
  double lag_unit_hours = 0;
  std::string lag_member;
  int64_t deadlines = 0;
  int64_t deadlines_met = 0;
  int64_t preemptions = 0;
  int64_t reclaims = 0;
  double lost_s = 0;
  Money cost;
  std::map<std::string, Money> cost_by_source;
  Money overhead;
  Money idle;                          // of rented machines, beside the work on them
  std::vector<MemberFigures> members;  // by name
  std::vector<TierFigures> tiers;
  int64_t events = 0;
};

Figures FiguresOf(const ReplayResult& result);

// Mean, median (of an even number: the mean of the middle two) and 95th percentile (the smallest
// value that 95 % do not exceed).
Waits WaitsOf(std::vector<double> seconds);
double Jain(const std::vector<double>& values);  // 1 where there are none
// The most unit-time that each member fell behind.
std::map<MemberId, double> ServiceLags(const ReplayResult& result);

}  // namespace pinka::sim
