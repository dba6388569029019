// A thousand random histories and the second opinion on each: whatever is asked in whatever order,
// the books that come of it are in order by rules and arithmetic that share nothing with core. One
// seed with PINKA_SEED=n, as many as wanted with PINKA_HISTORIES=n.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "fmt/format.h"
#include "scheduler/check/check.h"
#include "tests/db/check_history.h"
#include "tests/support/core_random.h"
#include "tests/support/postgres.h"

namespace pinka::check {
namespace {

// How much was checked, so that a generator that makes nothing is noticed.
struct Seen {
  int64_t transfers = 0;
  int64_t attempts = 0;
  int64_t lots = 0;
  int histories = 0;
};

void Furnish(test::CoreWorld& w) {
  w.AddProject("nlp", {"alice", "bob"});
  w.Deposit("lab", 300);
  w.PayIn("alice", "alice", Money::Whole(50));
  w.Buy(w.Package("a100", 7, Money::Whole(8), {{"alice", 1}, {"bob", 1}, {"lab", 1}}));
  w.AddNode("n1", "a100", 4);
  w.AddNode("n2", "t4", 4);
  w.AddNode("n3", "cpu", 8);
}

void CheckHistoryOf(uint64_t seed, Seen* seen) {
  SCOPED_TRACE(fmt::format("PINKA_SEED={}", seed));
  test::CoreWorld w;
  w.audit = false;
  test::RandomCommands commands(seed);
  Furnish(w);
  const int steps = seed % 20 == 0 ? 600 : 150;
  for (int step = 0; step < steps; ++step) {
    w.now = w.now + commands.NextPause();
    w.Do(commands.Next(w.state(), w.store()));
    if (commands.random().Below(20) == 0) w.Reload();
  }
  const std::string url = pinka::testing::StoreBooks(w);
  {
    db::Connection connection(url, "session_check");
    const StatusOr<Report> report = CheckBooks(connection);
    ASSERT_TRUE(report.ok()) << report.status();
    seen->transfers += report->transfers;
    seen->attempts += report->attempts;
    seen->lots += report->lots;
    ++seen->histories;
    for (const Violation& v : report->violations) {
      ADD_FAILURE() << v.rule << ": " << v.table << " " << v.key << ": expected " << v.expected
                    << "; found " << v.found;
    }
  }
  pinka::testing::DropDatabase(url);
}

TEST(Histories, AThousandKeepTheirBooksInOrder) {
  pinka::testing::StopSyncing();
  Seen seen;
  if (const char* seed = std::getenv("PINKA_SEED")) return CheckHistoryOf(std::stoull(seed), &seen);
  const char* wanted = std::getenv("PINKA_HISTORIES");
  const uint64_t last = wanted ? std::stoull(wanted) : 1'000;
  for (uint64_t seed = 1; seed <= last && !HasFailure(); ++seed) CheckHistoryOf(seed, &seen);
  std::cout << fmt::format("checked {} histories: {} transfers, {} attempts, {} lots\n",
                           seen.histories, seen.transfers, seen.attempts, seen.lots);
  if (HasFailure()) return;
  EXPECT_EQ(static_cast<uint64_t>(seen.histories), last);
  EXPECT_GT(seen.transfers, 20 * seen.histories);
  EXPECT_GT(seen.attempts, 5 * seen.histories);
}

}  // namespace
}  // namespace pinka::check
