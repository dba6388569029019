// Histories from a seed: whatever is asked in whatever order, after every batch the books are
// right, nothing is given out twice, and a core loaded from the store is the running one. The audit
// of CoreWorld says so; run one seed with PINKA_SEED=n.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fmt/format.h"
#include "scheduler/core/digest.h"
#include "scheduler/core/limits.h"
#include "tests/support/core_random.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

void Furnish(CoreWorld& w) {
  w.AddProject("nlp", {"alice", "bob"});
  w.Deposit("lab", 300);
  w.Deposit("alice", 50);
  w.Buy(w.Package("a100", 7, Money::Whole(8), {{"alice", 1}, {"bob", 1}, {"lab", 1}}));
  w.AddNode("n1", "a100", 4);
  w.AddNode("n2", "t4", 4);
  w.AddNode("n3", "cpu", 8);
}

void RunHistory(uint64_t seed, int steps) {
  SCOPED_TRACE(fmt::format("PINKA_SEED={}", seed));
  CoreWorld w;
  RandomCommands commands(seed);
  Furnish(w);
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
    w.now = w.now + commands.NextPause();
    const Command command = commands.Next(w.state(), w.store());
    SCOPED_TRACE(fmt::format("step {}, command {}", step, command.index()));
    w.Do(command);
    if (commands.random().Below(20) == 0) w.Reload();
  }
}

TEST(History, KeepsBooksMachinesJobsAndRecoveryTrue) {
  if (const char* seed = std::getenv("PINKA_SEED")) return RunHistory(std::stoull(seed), 2'000);
  for (uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) RunHistory(seed, 300);
}

TEST(History, IsTheSameWhetherOrNotItWasInterruptedByRestarts) {
  for (uint64_t seed = 100; seed < 110; ++seed) {
    SCOPED_TRACE(seed);
    CoreWorld straight;
    CoreWorld restarted;
    straight.audit = restarted.audit = false;
    RandomCommands commands(seed);
    Furnish(straight);
    Furnish(restarted);
    for (int step = 0; step < 300; ++step) {
      // Whole minutes: a restart plans at once, a running core at the next minute.
      const Duration pause = Duration::Minutes(commands.NextPause().seconds() / 60);
      const Command command = commands.Next(straight.state(), straight.store());
      straight.now = restarted.now = straight.now + pause;
      const Reply a = straight.Do(command);
      const Reply b = restarted.Do(command);
      ASSERT_EQ(a.reason, b.reason) << a.detail << " / " << b.detail;
      ASSERT_EQ(a.first, b.first);
      if (restarted.core().now() == restarted.store().core_now()) restarted.Reload();
      ASSERT_EQ(DumpOf(ExportState(straight.state())), DumpOf(ExportState(restarted.state())))
          << "step " << step << ", command " << command.index();
    }
  }
}

}  // namespace
}  // namespace pinka::test
