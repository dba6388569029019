#include "scheduler/check/check.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "tests/db/check_history.h"
#include "tests/support/core_random.h"

namespace pinka::check {
namespace {

using pinka::testing::MakeHistory;
using pinka::testing::StoreBooks;

std::string Checked(const std::string& url) {
  std::ostringstream out;
  const int code = RunCheck(url, out);
  EXPECT_EQ(code, 0);
  return out.str();
}

TEST(Check, FindsAnEmptyDatabaseInOrder) {
  test::CoreWorld w;
  EXPECT_EQ(Checked(StoreBooks(w)), "checked 0 transfers, 0 attempts, 0 lots: all in order\n");
}

TEST(Check, FindsTheBooksOfARunningLabInOrder) {
  test::CoreWorld w;
  MakeHistory(w);
  std::cout << Checked(StoreBooks(w));
}

TEST(Check, SaysWhereTheDatabaseCannotBeRead) {
  std::ostringstream out;
  EXPECT_EQ(RunCheck("host=/nonexistent dbname=x connect_timeout=1", out), 1);
  EXPECT_TRUE(out.str().starts_with("the books could not be read: ")) << out.str();
}

// Whatever is asked in whatever order; one seed with PINKA_SEED=n.
void CheckHistoryOf(uint64_t seed) {
  SCOPED_TRACE("PINKA_SEED=" + std::to_string(seed));
  test::CoreWorld w;
  w.audit = false;
  test::RandomCommands commands(seed);
  w.AddProject("nlp", {"alice", "bob"});
  w.Deposit("lab", 300);
  w.Deposit("alice", 50);
  w.Buy(w.Package("a100", 7, Money::Whole(8), {{"alice", 1}, {"bob", 1}, {"lab", 1}}));
  w.AddNode("n1", "a100", 4);
  w.AddNode("n2", "t4", 4);
  w.AddNode("n3", "cpu", 8);
  for (int step = 0; step < 400; ++step) {
    w.now = w.now + commands.NextPause();
    w.Do(commands.Next(w.state(), w.store()));
    if (commands.random().Below(20) == 0) w.Reload();
  }
  db::Connection connection(StoreBooks(w), "session_check");
  const StatusOr<Report> report = CheckBooks(connection);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->attempts, 0);
  for (const Violation& v : report->violations) {
    ADD_FAILURE() << v.rule << ": " << v.table << " " << v.key << ": expected " << v.expected
                  << "; found " << v.found;
  }
}

TEST(Check, FindsTheBooksOfAnyHistoryInOrder) {
  if (const char* seed = std::getenv("PINKA_SEED")) return CheckHistoryOf(std::stoull(seed));
  for (uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed) CheckHistoryOf(seed);
}

}  // namespace
}  // namespace pinka::check
