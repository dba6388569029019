// What work with a deadline costs on real spot availability: the production rule of core
// (deadline.h) against uniform progress (Wu et al., NSDI 2024), spot until the slack is gone and
// then on demand, on demand alone, and the best in hindsight. Each job is one replay: production
// core, ledger and all, on one spot machine and one on demand.
//
//   bench_spot [--work HOURS]… [--slack PERCENT]… [FILE…]
//
// Windows lie evenly over every zone of a file. Prices: on demand 1, spot a third; checkpoints each
// half an hour; a task that goes on needs five minutes before it does. Costs are of everybody,
// lost work that the lab bears included, relative to the same work on demand.
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/deadline.h"
#include "scheduler/runtime/calendar.h"
#include "scheduler/sim/figures.h"
#include "scheduler/sim/scenario.h"

namespace pinka::sim {
namespace {

constexpr int64_t kMinute = 60'000;
constexpr int64_t kWindows = 12;  // of a zone, at most
constexpr double kSpotPrice = 1.0 / 3;

struct Ask {
  int64_t work_min = 0;
  int64_t deadline_min = 0;
};

// One zone from an instant on: whether a machine is up, by minute.
struct Window {
  std::vector<bool> up;
};

std::vector<Window> WindowsOf(const SpotFile& spot, int32_t zone, const Ask& ask) {
  std::vector<bool> up;
  int64_t at = 0;
  bool now = false;
  for (const SpotChange& change : spot.changes) {
    if (change.zone != zone) continue;
    for (; at < (change.at_ms + kMinute - 1) / kMinute; ++at) up.push_back(now);
    now = change.up > 0;
  }
  const auto length = static_cast<int64_t>(up.size());
  const int64_t stride = std::max(ask.deadline_min / 2, (length - ask.deadline_min) / kWindows + 1);
  std::vector<Window> windows;
  for (int64_t from = 0; from + ask.deadline_min < length; from += stride) {
    windows.push_back({{up.begin() + from, up.begin() + from + ask.deadline_min}});
  }
  return windows;
}

SpotFile FileOf(const Window& window) {
  SpotFile spot;
  spot.zones = {"zone"};
  spot.most = {1};
  bool before = !window.up.front();
  for (size_t m = 0; m < window.up.size(); ++m) {
    if (window.up[m] == before) continue;
    before = window.up[m];
    spot.changes.push_back({static_cast<int64_t>(m) * kMinute, 0, before ? 1 : 0});
  }
  return spot;
}

struct Outcome {
  double cost = 0;
  bool met = false;
};

Outcome Play(const Window& window, const Ask& ask, const std::string& policy,
             const std::vector<PeriodRow>& calendar) {
  TraceJob job;
  job.duration_ms = ask.work_min * kMinute;
  job.gpus_milli = 1'000;
  job.user = "alice";
  job.deadline_ms = ask.deadline_min * kMinute;
  Scenario scenario;
  scenario.policy = policy;
  scenario.exact_limits = true;
  scenario.nodes = {"gpu:1x1"};
  scenario.spot = FileOf(window);
  scenario.spot_units = 1;
  scenario.restart = kRestart;
  auto input = BuildInput(scenario, {job});
  PINKA_CHECK(input.ok(), "the bench's own scenario");
  input->calendar = calendar;
  const ReplayResult result = RunReplay(*input);
  Money paid = result.overhead;
  for (const auto& [source, amount] : result.spent) paid += amount;
  const double alone = 13.5e6 * static_cast<double>(ask.work_min) / 60;
  const JobResult& one = result.jobs.front();
  return {static_cast<double>(paid.micros()) / alone,
          one.state == TaskState::kCompleted && one.ended_at <= one.deadline};
}

// The least that any rule could have paid that knew the future: nothing is lost but a restart at
// each start after the first. Exact over steps of kRestart.
double Hindsight(const Window& window, const Ask& ask) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const int64_t step = kRestart.seconds() / 60;
  const auto work = static_cast<size_t>((ask.work_min + step - 1) / step);
  using Costs = std::array<double, 3>;  // idle, on spot, on demand before this step
  std::vector<Costs> after(work + 1, {kNever, kNever, kNever}), at = after;
  after[work] = {0, 0, 0};
  for (int64_t t = ask.deadline_min / step; t-- > 0;) {
    bool spot = true;
    for (int64_t m = t * step; m < (t + 1) * step; ++m)
      spot = spot && window.up[static_cast<size_t>(m)];
    at[work] = {0, 0, 0};
    for (size_t done = 0; done < work; ++done) {
      const auto run = [&](int source, int before) {
        const bool goes_on = before == source || done == 0;
        return after[goes_on ? done + 1 : done][static_cast<size_t>(source)];
      };
      for (int before = 0; before < 3; ++before) {
        double best = std::min(after[done][0], 1 + run(2, before));
        if (spot) best = std::min(best, kSpotPrice + run(1, before));
        at[done][static_cast<size_t>(before)] = best;
      }
    }
    std::swap(at, after);
  }
  return after[0][0] / static_cast<double>(work);
}

const std::vector<std::pair<std::string, std::string>> kRules = {
    {"pinka", "pinka"},
    {"uniform progress", "pinka-uniform-progress"},
    {"spot, then on demand", "pinka-spot-then-switch"},
    {"on demand", "pinka-on-demand"}};

struct Row {
  int64_t jobs = 0;
  double hindsight = 0;
  std::vector<double> cost = std::vector<double>(kRules.size());
  std::vector<int64_t> met = std::vector<int64_t>(kRules.size());

  void Add(const Row& other) {
    jobs += other.jobs;
    hindsight += other.hindsight;
    for (size_t r = 0; r < kRules.size(); ++r) {
      cost[r] += other.cost[r];
      met[r] += other.met[r];
    }
  }
  void Print(const std::string& what) const {
    const auto n = static_cast<double>(jobs);
    std::string line = fmt::format("| {} | {} | {:.3f} |", what, jobs, hindsight / n);
    for (size_t r = 0; r < kRules.size(); ++r) {
      line += fmt::format(" {:.3f}{} |", cost[r] / n,
                          met[r] == jobs ? "" : fmt::format(" ({} late)", jobs - met[r]));
    }
    std::puts(line.c_str());
    std::fflush(stdout);
  }
};

Row Measure(const SpotFile& spot, const Ask& ask, const std::vector<PeriodRow>& calendar) {
  Row row;
  for (size_t zone = 0; zone < spot.zones.size(); ++zone) {
    for (const Window& window : WindowsOf(spot, static_cast<int32_t>(zone), ask)) {
      ++row.jobs;
      row.hindsight += Hindsight(window, ask);
      for (size_t r = 0; r < kRules.size(); ++r) {
        const Outcome outcome = Play(window, ask, kRules[r].second, calendar);
        row.cost[r] += outcome.cost;
        row.met[r] += outcome.met ? 1 : 0;
      }
    }
  }
  return row;
}

std::string NameOf(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.substr(0, file.rfind('.'));
}

int Main(const std::vector<std::string>& words) {
  std::vector<int64_t> works, slacks;
  std::vector<std::string> files;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool number = (words[i] == "--work" || words[i] == "--slack") && i + 1 < words.size();
    if (!number) {
      files.push_back(words[i]);
      continue;
    }
    const auto value = ParseInt(words[i + 1], 1, 1'000, words[i].c_str());
    if (!value.ok()) return std::puts("write --work HOURS and --slack PERCENT"), 2;
    (words[i++] == "--work" ? works : slacks).push_back(*value);
  }
  if (works.empty()) works = {12, 48};
  if (slacks.empty()) slacks = {15, 50, 100};
  const auto calendar = PeriodsAround("Asia/Shanghai", Timestamp::Seconds(1'767'196'800));
  PINKA_CHECK(calendar.ok(), "the zone is known");
  std::string titles = "| spot file, work, slack | jobs | in hindsight |", rule = "|---|---|---|";
  for (const auto& [name, policy] : kRules) {
    titles += " " + name + " |";
    rule += "---|";
  }
  std::puts((titles + "\n" + rule).c_str());
  Row all;
  for (const std::string& path : files) {
    const auto text = ReadFile(path);
    if (!text.ok()) return std::puts("skipped: no data"), 0;
    const auto spot = ParseSpot(*text, path, "");
    if (!spot.ok()) return std::puts(Message(spot.status()).c_str()), 1;
    Row file;
    for (const int64_t hours : works) {
      for (const int64_t percent : slacks) {
        const Row row = Measure(*spot, {hours * 60, hours * 60 * (100 + percent) / 100}, *calendar);
        if (row.jobs == 0) continue;
        row.Print(fmt::format("{}, {} h, {} %", NameOf(path), hours, percent));
        file.Add(row);
      }
    }
    if (file.jobs > 0) file.Print(fmt::format("**{}**", NameOf(path)));
    all.Add(file);
  }
  if (all.jobs > 0) all.Print("**all**");
  return 0;
}

}  // namespace
}  // namespace pinka::sim

int main(int argc, char** argv) {
  return pinka::sim::Main(std::vector<std::string>(argv + 1, argv + argc));
}
