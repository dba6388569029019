// How long one scheduling pass takes with many jobs waiting: the tier is full, one task ends, and
// the pass has to find who starts in its place. The state is core's own; nothing is copied.
#include <benchmark/benchmark.h>

#include <map>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/core.h"
#include "scheduler/core/plan.h"

namespace pinka {
namespace {

constexpr int kMembers = 20;
constexpr int kUnits = 8;  // of a node
const Timestamp kStart = Timestamp::Seconds(1'790'000'000);

Snapshot LabOf(int members, int64_t nodes) {
  Snapshot s;
  s.now = kStart;
  s.lab.run = "bench";
  s.lab.next_id = 1000;
  s.lab.usage_hour = Timestamp::Seconds(kStart.micros() / 3'600'000'000 * 3600);
  TierRow tier;
  tier.id = TierId(1);
  tier.name = "a100";
  tier.unit_gpus = 1;
  s.tiers.push_back(tier);
  s.rates.push_back({TierId(1), Source::kOnDemand, kStart - Duration::Days(1),
                     Rate::MicrosPerUnitHour(12'000'000)});
  for (int m = 0; m < members; ++m)
    s.members.push_back({MemberId(10 + m), fmt::format("m{}", m), 1 + m % 3, false, false});
  s.members.push_back({MemberId(9), "admin", 1, true, false});
  for (int n = 0; n < nodes; ++n) {
    NodeRow node;
    node.id = NodeId(100 + n);
    node.name = fmt::format("n{}", n);
    node.tier = TierId(1);
    node.state = NodeState::kReady;
    node.units = kUnits;
    for (int g = 0; g < kUnits; ++g)
      node.gpus.push_back({g, fmt::format("GPU-{}-{}", n, g), "A100", 81920});
    s.nodes.push_back(node);
  }
  return s;
}

struct Shape {
  int64_t waiting = 0;  // tasks
  int64_t nodes = 8;
  int64_t tasks = 1;  // of each job
  int64_t hours = 0;  // every limit; 0: from one to seven
};

// A lab whose queue holds what fills the tier and `waiting` tasks more.
std::unique_ptr<Core> Queued(const Shape& shape) {
  auto core = std::make_unique<Core>(LabOf(kMembers, shape.nodes));
  Deposit deposit;
  deposit.actor = {MemberId(9), true};
  deposit.amount = Money::Whole(1'000'000'000);
  core->Apply(deposit, kStart);
  const int64_t tasks = shape.waiting + shape.nodes * kUnits;
  for (int64_t n = 0; n < tasks / shape.tasks; ++n) {
    SubmitJobs submit;
    submit.actor.member = MemberId(10 + n % kMembers);
    JobRequest job;
    job.tier = TierId(1);
    job.gpus = 1 + static_cast<int>(n % 2);
    job.time_limit = Duration::Hours(shape.hours > 0 ? shape.hours : 1 + n % 7);
    if (shape.tasks > 1) job.array = fmt::format("0-{}", shape.tasks - 1);
    submit.jobs.push_back(job);
    core->Apply(submit, kStart + Duration::Micros(n));
  }
  core->TakeChanges();
  return core;
}

// A full tier and `waiting` tasks behind it.
std::unique_ptr<Core> Crowd(const Shape& shape) {
  auto core = Queued(shape);
  core->Schedule(INT64_MAX);
  core->TakeChanges();
  return core;
}

Shape ShapeOf(const benchmark::State& bench) {
  return {bench.range(0), bench.range(1), bench.range(2), 0};
}

void Label(benchmark::State& bench) {
  bench.SetLabel(fmt::format("{} tasks wait, {} nodes", bench.range(0), bench.range(1)));
}

AttemptId AnyRunning(const State& state) {
  for (const auto& [id, attempt] : state.attempts.rows()) {
    if (attempt.state != AttemptState::kEnded) return id;
  }
  return {};
}

void PassAfterOneEnd(benchmark::State& bench) {
  const auto core = Crowd(ShapeOf(bench));
  Timestamp now = core->now();
  for (auto _ : bench) {
    bench.PauseTiming();
    now = now + Duration::Seconds(1);
    AttemptsProvenOver over{{AnyRunning(core->state())}, EndReason::kExited};
    core->Apply(over, now);
    core->TakeChanges();
    bench.ResumeTiming();
    core->Schedule(INT64_MAX);
  }
  Label(bench);
}
BENCHMARK(PassAfterOneEnd)
    ->Args({10'000, 8, 1})
    ->Args({100'000, 8, 1})
    ->Args({100'000, 1'000, 1})
    ->Args({1'000'000, 1'000, 50'000})
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(500);

void PassThatStartsNobody(benchmark::State& bench) {
  const auto core = Crowd(ShapeOf(bench));
  for (auto _ : bench) benchmark::DoNotOptimize(NextStart(core->state(), TierId(1)));
  Label(bench);
}
BENCHMARK(PassThatStartsNobody)
    ->Args({10'000, 8, 1})
    ->Args({100'000, 8, 1})
    ->Args({100'000, 1'000, 1})
    ->Args({1'000'000, 1'000, 50'000})
    ->Unit(benchmark::kMicrosecond);

// One unit is free on every node, and the first in line wants two: a pass looks for who could use
// it without delaying anybody, and finds nobody.
void PassThatBackfillsNobody(benchmark::State& bench) {
  Shape shape = ShapeOf(bench);
  shape.hours = 7;
  const auto core = Crowd(shape);
  Timestamp now = core->now() + Duration::Hours(2);
  std::map<NodeId, AttemptId> last;
  for (const auto& [id, attempt] : core->state().attempts.rows()) {
    if (attempt.units == 1) last[attempt.node] = id;
  }
  AttemptsProvenOver over;
  over.reason = EndReason::kExited;
  for (const auto& [node, id] : last) over.attempts.push_back(id);
  core->Apply(over, now);
  core->TakeChanges();
  for (auto _ : bench) benchmark::DoNotOptimize(NextStart(core->state(), TierId(1)));
  Label(bench);
}
BENCHMARK(PassThatBackfillsNobody)
    ->Args({10'000, 8, 1})
    ->Args({100'000, 1'000, 1})
    ->Unit(benchmark::kMicrosecond);

// An empty tier is filled: all starts of one batch, ordered.
void FillOfATier(benchmark::State& bench) {
  int64_t starts = 0;
  for (auto _ : bench) {
    bench.PauseTiming();
    auto core = Queued(ShapeOf(bench));
    bench.ResumeTiming();
    core->Schedule(INT64_MAX);
    bench.PauseTiming();
    starts = static_cast<int64_t>(core->state().attempts.rows().size());
    core.reset();
    bench.ResumeTiming();
  }
  bench.SetLabel(fmt::format("{} starts, {} tasks wait", starts, bench.range(0)));
}
BENCHMARK(FillOfATier)
    ->Args({10'000, 8, 1})
    ->Args({100'000, 1'000, 1})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);

void BoardForReaders(benchmark::State& bench) {
  const auto core = Crowd(ShapeOf(bench));
  for (auto _ : bench) benchmark::DoNotOptimize(MakeBoard(core->state(), 1));
}
BENCHMARK(BoardForReaders)
    ->Args({10'000, 8, 1})
    ->Args({50'000, 8, 1})
    ->Unit(benchmark::kMillisecond);

void SubmitInCore(benchmark::State& bench) {
  const auto core = Crowd({1000, 8, 1, 0});
  int64_t n = 0;
  for (auto _ : bench) {
    SubmitJobs submit;
    submit.actor.member = MemberId(10 + n++ % kMembers);
    JobRequest job;
    job.tier = TierId(1);
    job.gpus = 1;
    submit.jobs.push_back(job);
    core->Apply(submit, core->now() + Duration::Micros(1));
    if (n % 256 == 0) core->TakeChanges();
  }
}
BENCHMARK(SubmitInCore)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pinka

BENCHMARK_MAIN();
