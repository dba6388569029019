// What positions are made of, read by one query, is what the store in memory says.
#include <gtest/gtest.h>

#include "db/reads_months.h"
#include "tests/db/check_history.h"
#include "tests/support/core_random.h"
#include "tests/support/position_facts.h"

namespace pinka::db {
namespace {

using test::At;
using test::CoreWorld;

// Of the month that holds `in`, from the database and from memory.
void ExpectTheSame(const CoreWorld& w, ReadPool& pool, Timestamp in) {
  const PeriodRow& month = w.Month(in);
  const auto facts = ReadPositionFacts(pool, month.start_at, month.end_at);
  ASSERT_TRUE(facts.ok()) << facts.status();
  const PositionFacts want = test::FactsOf(w.store().tables(), month.start_at, month.end_at);
  EXPECT_EQ(facts->since, want.since);
  EXPECT_EQ(facts->people.size(), want.people.size());
  EXPECT_EQ(facts->steps.size(), want.steps.size());
  EXPECT_EQ(facts->packages.size(), want.packages.size());
  for (Spread spread : {Spread::kUsage, Spread::kEqual, Spread::kContribution}) {
    EXPECT_EQ(PositionsOf(*facts, month.start_at, spread),
              PositionsOf(want, month.start_at, spread));
  }
}

TEST(Months, AreReadAsTheyWereWritten) {
  CoreWorld w;
  testing::MakeHistory(w);
  ReadPool pool(testing::StoreBooks(w), 1);
  const PeriodRow september = w.Month(At(2026, 9, 30));
  const auto month = ReadMonth(pool, september.start_at);
  ASSERT_TRUE(month.ok()) << month.status();
  EXPECT_EQ(month->row, w.state().closed_months.Get(september.start_at));
  EXPECT_EQ(month->positions.size(), 5u);
  EXPECT_EQ(month->payments.size(), w.state().payments.rows().size());
  const auto open = ListPayments(pool, {}, false);
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_EQ(open->size() + 1, month->payments.size()) << "one is paid";
  const auto october = ReadMonth(pool, september.end_at);
  ASSERT_TRUE(october.ok()) << october.status();
  EXPECT_FALSE(october->row);
  EXPECT_TRUE(october->payments.empty());
  ExpectTheSame(w, pool, At(2026, 9, 30));
  ExpectTheSame(w, pool, At(2026, 10, 2));
}

TEST(Months, OfAnyHistoryAreReadAsTheyAre) {
  for (uint64_t seed = 1; seed <= 6 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    CoreWorld w;
    w.audit = false;
    test::RandomCommands commands(seed);
    w.AddProject("nlp", {"alice", "bob"});
    w.Deposit("lab", 300);
    BuyPackage buy = w.Package("a100", 7, Money::Whole(8), {{"alice", 1}, {"bob", 1}, {"lab", 1}});
    buy.payer = w.Member("carol");
    w.Buy(buy);
    w.AddNode("n1", "a100", 4);
    w.AddNode("n2", "t4", 4);
    for (int step = 0; step < 300; ++step) {
      w.now = w.now + commands.NextPause();
      w.Do(commands.Next(w.state(), w.store()));
    }
    ReadPool pool(testing::StoreBooks(w), 1);
    for (const auto& [id, month] : w.store().tables().periods) {
      if (month.kind == Period::kMonth && month.start_at <= w.now)
        ExpectTheSame(w, pool, month.start_at);
    }
  }
}

}  // namespace
}  // namespace pinka::db
