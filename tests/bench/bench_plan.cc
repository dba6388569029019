// How long one scheduling pass takes with many jobs waiting: the tier is full, one task ends, and
// the pass has to find who starts in its place. The state is core's own; nothing is copied.
#include <benchmark/benchmark.h>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/core.h"
#include "scheduler/core/plan.h"

namespace pinka {
namespace {

constexpr int kMembers = 20;
constexpr int kNodes = 8;
constexpr int kUnits = 8;
const Timestamp kStart = Timestamp::Seconds(1'790'000'000);

Snapshot LabOf(int members) {
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
  for (int n = 0; n < kNodes; ++n) {
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

// A full tier and `waiting` jobs behind it.
std::unique_ptr<Core> Crowd(int64_t waiting) {
  auto core = std::make_unique<Core>(LabOf(kMembers));
  Deposit deposit;
  deposit.actor = {MemberId(9), true};
  deposit.amount = Money::Whole(1'000'000'000);
  core->Apply(deposit, kStart);
  const int64_t jobs = waiting + kNodes * kUnits;
  for (int64_t n = 0; n < jobs; ++n) {
    SubmitJobs submit;
    submit.actor.member = MemberId(10 + n % kMembers);
    JobRequest job;
    job.tier = TierId(1);
    job.gpus = 1 + static_cast<int>(n % 2);
    job.time_limit = Duration::Hours(1 + n % 7);
    submit.jobs.push_back(job);
    core->Apply(submit, kStart + Duration::Micros(n));
  }
  core->Schedule(INT64_MAX);
  core->TakeChanges();
  return core;
}

AttemptId AnyRunning(const State& state) {
  for (const auto& [id, attempt] : state.attempts.rows()) {
    if (attempt.state != AttemptState::kEnded) return id;
  }
  return {};
}

void PassAfterOneEnd(benchmark::State& bench) {
  const auto core = Crowd(bench.range(0));
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
  bench.SetLabel(fmt::format("{} jobs wait", bench.range(0)));
}
BENCHMARK(PassAfterOneEnd)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(500);

void PassThatStartsNobody(benchmark::State& bench) {
  const auto core = Crowd(bench.range(0));
  for (auto _ : bench) benchmark::DoNotOptimize(NextStart(core->state(), TierId(1)));
  bench.SetLabel(fmt::format("{} jobs wait", bench.range(0)));
}
BENCHMARK(PassThatStartsNobody)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

void BoardForReaders(benchmark::State& bench) {
  const auto core = Crowd(bench.range(0));
  for (auto _ : bench) benchmark::DoNotOptimize(MakeBoard(core->state(), 1));
}
BENCHMARK(BoardForReaders)->Arg(10'000)->Arg(50'000)->Unit(benchmark::kMillisecond);

void SubmitInCore(benchmark::State& bench) {
  const auto core = Crowd(1000);
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
