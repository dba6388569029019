#include "scheduler/sim/figures.h"

#include <algorithm>
#include <cmath>

namespace pinka::sim {
namespace {

constexpr double kHour = 3'600;
constexpr double kShort = 10;  // seconds: shorter work does not make a slowdown larger

double Seconds(Duration span) { return static_cast<double>(span.micros()) / 1e6; }

double BusySeconds(const Run& run) { return Seconds(run.to - run.from) * run.units; }

double Slowdown(const JobResult& job) {
  const double run = std::max(Seconds(job.served), kShort);
  return std::max(Seconds(job.ended_at - job.submitted_at) / run, 1.0);
}

bool EndedByItself(TaskState state) {
  return state == TaskState::kCompleted || state == TaskState::kFailed;
}

struct ByMember {
  std::vector<double> waits;
  std::vector<double> slowdowns;
};

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

void CountJobs(const ReplayResult& result, Figures& f) {
  for (const JobResult& job : result.jobs) {
    ++f.jobs;
    if (job.deadline) {
      ++f.deadlines;
      if (job.state == TaskState::kCompleted && job.ended_at <= job.deadline) ++f.deadlines_met;
    }
    if (job.refused != Reason::kOk) {
      ++f.infeasible;
    } else if (EndedByItself(job.state)) {
      ++f.completed;
    } else {
      ++f.unfinished;
    }
  }
}

void CountRuns(const ReplayResult& result, Figures& f) {
  for (const Run& run : result.runs) {
    f.unit_hours += BusySeconds(run) / kHour;
    if (run.end == EndReason::kPreempted) ++f.preemptions;
    if (run.end == EndReason::kSpotReclaim) ++f.reclaims;
    const bool own = run.end == EndReason::kExited || run.end == EndReason::kTimeLimit ||
                     run.end == EndReason::kNone;
    if (!own) f.lost_s += Seconds(run.to - run.from - run.kept);
  }
}

// Unit-seconds of the tier's machines, from the start to the end.
double Offered(const ReplayResult& result, TierId tier) {
  double offered = 0;
  for (const Capacity& change : result.capacity) {
    if (change.tier == tier && change.at < result.end)
      offered += Seconds(result.end - change.at) * change.units;
  }
  return offered;
}

void CountTiers(const ReplayResult& result, Figures& f) {
  double all = 0;
  for (const auto& [id, name] : result.tiers) {
    double busy = 0;
    for (const Run& run : result.runs) busy += run.tier == id ? BusySeconds(run) : 0;
    const double offered = Offered(result, id);
    all += offered;
    f.tiers.push_back({name, busy / kHour, offered > 0 ? busy / offered : 0});
  }
  f.utilization = all > 0 ? f.unit_hours * kHour / all : 0;
}

void CountMembers(const ReplayResult& result, Figures& f) {
  std::map<MemberId, ByMember> of;
  std::map<MemberId, MemberFigures> rows;
  ByMember everybody;
  for (const JobResult& job : result.jobs) {
    ++rows[job.member].jobs;
    if (job.started_at) {
      const double wait = Seconds(job.started_at - job.submitted_at);
      of[job.member].waits.push_back(wait);
      everybody.waits.push_back(wait);
    }
    if (!EndedByItself(job.state)) continue;
    of[job.member].slowdowns.push_back(Slowdown(job));
    everybody.slowdowns.push_back(of[job.member].slowdowns.back());
  }
  for (const Run& run : result.runs) rows[run.member].unit_hours += BusySeconds(run) / kHour;
  const std::map<MemberId, double> lags = ServiceLags(result);
  std::vector<double> means;
  for (auto& [id, row] : rows) {
    row.name = result.members.at(id).first;
    row.waits = WaitsOf(of[id].waits);
    row.slowdown = MeanOf(of[id].slowdowns);
    if (!of[id].slowdowns.empty()) means.push_back(row.slowdown);
    const auto lag = lags.find(id);
    row.lag_unit_hours = lag == lags.end() ? 0 : lag->second / kHour;
    if (row.lag_unit_hours > f.lag_unit_hours) {
      f.lag_unit_hours = row.lag_unit_hours;
      f.lag_member = row.name;
    }
    f.members.push_back(row);
  }
  std::ranges::sort(f.members, {}, &MemberFigures::name);
  f.jain = Jain(means);
  f.waits = WaitsOf(everybody.waits);
  f.slowdown = MeanOf(everybody.slowdowns);
}

// What changes in a tier at an instant: a member's waiting jobs, or its busy units.
struct Change {
  Timestamp at;
  MemberId member;
  int64_t waiting = 0;
  int64_t busy = 0;
};

struct Standing {
  int64_t waiting = 0;
  int64_t busy = 0;
  double lag = 0;
  double worst = 0;
};

std::map<TierId, std::vector<Change>> ChangesOf(const ReplayResult& result) {
  std::map<TierId, std::vector<Change>> changes;
  for (const JobResult& job : result.jobs) {
    if (job.refused != Reason::kOk) continue;
    const Timestamp until = job.started_at ? job.started_at : result.end;
    if (until <= job.submitted_at) continue;
    changes[job.tier].push_back({job.submitted_at, job.member, 1, 0});
    changes[job.tier].push_back({until, job.member, -1, 0});
  }
  for (const Run& run : result.runs) {
    changes[run.tier].push_back({run.from, run.member, 0, run.units});
    changes[run.tier].push_back({run.to, run.member, 0, -int64_t{run.units}});
  }
  for (auto& [tier, list] : changes) std::ranges::stable_sort(list, {}, &Change::at);
  return changes;
}

// Lets `span` seconds pass in one tier.
void Pass(const ReplayResult& result, std::map<MemberId, Standing>& members, double span) {
  double shares = 0;
  double busy = 0;
  for (const auto& [id, m] : members) {
    if (m.waiting == 0 && m.busy == 0) continue;
    shares += static_cast<double>(result.members.at(id).second);
    busy += static_cast<double>(m.busy);
  }
  for (auto& [id, m] : members) {
    if (m.waiting == 0 || shares <= 0) {
      m.lag = 0;
      continue;
    }
    const double due = busy * static_cast<double>(result.members.at(id).second) / shares;
    m.lag = std::max(m.lag + (due - static_cast<double>(m.busy)) * span, 0.0);
    m.worst = std::max(m.worst, m.lag);
  }
}

}  // namespace

std::map<MemberId, double> ServiceLags(const ReplayResult& result) {
  std::map<MemberId, double> lags;
  for (const auto& [tier, changes] : ChangesOf(result)) {
    std::map<MemberId, Standing> members;
    Timestamp at = result.start;
    for (const Change& change : changes) {
      if (change.at > at) Pass(result, members, Seconds(change.at - at));
      at = std::max(at, change.at);
      members[change.member].waiting += change.waiting;
      members[change.member].busy += change.busy;
    }
    for (const auto& [id, m] : members) lags[id] = std::max(lags[id], m.worst);
  }
  return lags;
}

Waits WaitsOf(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const size_t n = seconds.size();
  Waits waits;
  waits.mean_s = MeanOf(seconds);
  waits.median_s = n % 2 == 1 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
  waits.p95_s = seconds[(n * 95 + 99) / 100 - 1];
  return waits;
}

double Jain(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (double v : values) {
    sum += v;
    squares += v * v;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

Figures FiguresOf(const ReplayResult& result) {
  Figures f;
  CountJobs(result, f);
  CountRuns(result, f);
  CountTiers(result, f);
  CountMembers(result, f);
  f.refused = result.refused;
  f.makespan_s = Seconds(result.end - result.start);
  for (const auto& [source, amount] : result.spent) {
    f.cost_by_source[std::string(Name(source))] = amount;
    f.cost += amount;
  }
  f.overhead = result.overhead;
  f.idle = result.idle;
  f.cost += f.overhead + f.idle;
  f.events = result.events;
  return f;
}

}  // namespace pinka::sim
