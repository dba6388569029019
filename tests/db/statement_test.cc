// Statements and reports over histories that core made: months chain, a month is the lab's, runs
// before a requeue count (C37, C39, C79).
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "db/reads.h"
#include "tests/db/check_history.h"

namespace pinka::db {
namespace {

using pinka::testing::MakeHistory;
using pinka::testing::StoreBooks;
using test::At;
using test::CoreWorld;

constexpr int64_t kHourMs = 3'600'000;

class Books {
 public:
  explicit Books(const CoreWorld& w) : pool_(StoreBooks(w), 2) {}

  Statement Of(MemberId member, Timestamp from, Timestamp to) {
    auto statement = ReadStatement(pool_, member, from, to);
    EXPECT_TRUE(statement.ok()) << statement.status();
    return statement.value_or(Statement{});
  }
  Statement Month(MemberId member, int month) {
    return Of(member, At(2026, month, 1), At(2026, month + 1, 1));
  }
  UsageReport Usage(UsageQuery query) {
    auto report = ReadUsage(pool_, query);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(UsageReport{});
  }

 private:
  ReadPool pool_;
};

Money Sum(const Statement& statement, const std::string& section) {
  Money sum;
  for (const StatementEntry& entry : statement.entries) {
    if (entry.section == section) sum += entry.amount;
  }
  return sum;
}

Money Closing(const Statement& statement) {
  Money closing = statement.opening;
  for (const StatementEntry& entry : statement.entries) {
    if (entry.section != "elsewhere") closing += entry.amount;
  }
  return closing;
}

int64_t UnitMs(const Statement& statement) {
  int64_t sum = 0;
  for (const StatementEntry& entry : statement.entries) sum += entry.unit_ms;
  return sum;
}

Money InLots(const CoreWorld& w, MemberId member) {
  Money sum;
  for (const auto& [id, lot] : w.store().tables().lots) {
    if (lot.owner == OwnedBy(member) && lot.asset == kCurrency) sum += lot.credited - lot.posted;
  }
  return sum;
}

TEST(Statement, EveryMonthClosesWhereTheNextOneOpens) {
  CoreWorld w;
  MakeHistory(w);
  Books books(w);
  for (const char* name : {"alice", "bob", "carol", "王芳"}) {
    SCOPED_TRACE(name);
    const MemberId member = w.Member(name);
    EXPECT_EQ(books.Month(member, 8).opening, Money());
    for (int month = 8; month < 11; ++month)
      EXPECT_EQ(Closing(books.Month(member, month)), books.Month(member, month + 1).opening);
    EXPECT_EQ(books.Month(member, 11).opening, InLots(w, member));
    EXPECT_TRUE(books.Month(member, 11).entries.empty());
  }
}

TEST(Statement, SaysWhatTheMonthsUsageSays) {
  CoreWorld w;
  MakeHistory(w);
  Books books(w);
  for (int month = 9; month < 11; ++month) {
    const UsageQuery window{.from = At(2026, month, 1), .to = At(2026, month + 1, 1)};
    for (const UsageLine& line : books.Usage(window).lines) {
      if (line.lab) continue;
      SCOPED_TRACE(line.key);
      const Statement statement = books.Month(w.Member(line.key), month);
      EXPECT_EQ(Sum(statement, "elsewhere") - Sum(statement, "charge") - Sum(statement, "refund"),
                line.amount);
      EXPECT_EQ(UnitMs(statement), line.unit_ms);
    }
  }
}

TEST(Statement, SortsWhatMovedTheLotsIntoSections) {
  CoreWorld w;
  MakeHistory(w);
  Books books(w);
  const std::map<std::string, std::set<std::string>> sections = {
      {"deposit", {"credit"}},
      {"charge", {"charge", "elsewhere"}},
      {"refund", {"refund", "elsewhere"}},
      {"lapse", {"lapse"}},
      {"transfer", {"credit", "withdraw"}},
      {"withdraw", {"withdraw"}}};
  const Statement september = books.Month(w.Member("alice"), 9);
  Money deposited;
  std::set<AttemptId> attempts;
  for (const StatementEntry& entry : september.entries) {
    if (auto it = sections.find(entry.kind); it != sections.end())
      EXPECT_TRUE(it->second.contains(entry.section)) << entry.kind << " in " << entry.section;
    if (entry.kind == "deposit") deposited += entry.amount;
    if (entry.kind == "charge") attempts.insert(entry.attempt);
  }
  EXPECT_EQ(deposited, Money::Whole(85)) << "two deposits";
  EXPECT_EQ(attempts.size(), 3u) << "three jobs";
  EXPECT_LT(Sum(september, "charge"), Money());
  const Statement carol = books.Month(w.Member("carol"), 10);
  EXPECT_LT(Sum(carol, "lapse"), Money()) << "her lot ends on 2 October";
  EXPECT_EQ(Closing(carol), InLots(w, w.Member("carol"))) << "what a hold still binds";
}

TEST(Statement, SharesAnAttemptAmongThoseWhoPaid) {
  CoreWorld w;
  w.Deposit("alice", 5);
  w.Deposit("lab", 100);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  w.Run(job);
  w.Advance(Duration::Hours(1));
  w.Exit(job, 0);
  const Statement statement = Books(w).Month(w.Member("alice"), 9);
  ASSERT_EQ(statement.entries.size(), 3u);
  const StatementEntry& own = statement.entries[0];
  EXPECT_EQ(own.section, "charge");
  EXPECT_EQ(own.amount, -Money::Whole(5));
  EXPECT_EQ(own.unit_ms, 1'500'000);
  EXPECT_EQ(own.rate, Rate::MicrosPerUnitHour(12'000'000));
  EXPECT_EQ(own.tier, "a100");
  EXPECT_EQ(statement.entries[1].section, "credit");
  EXPECT_EQ(statement.entries[1].other_kind, AccountKind::kExternal);
  const StatementEntry& lab = statement.entries[2];
  EXPECT_EQ(lab.section, "elsewhere");
  EXPECT_EQ(lab.amount, Money::Whole(7));
  EXPECT_EQ(lab.unit_ms, 2'100'000);
  EXPECT_EQ(lab.other_owner, "lab");
  EXPECT_EQ(lab.other_kind, AccountKind::kLot);
}

// A job of 4 units over the end of September.
JobId Night(CoreWorld& w, Duration limit) {
  w.AddNode("box", "a100", 4);
  w.AddNode("other", "a100", 4);
  const JobId job = w.Submit("alice", w.Job("a100", limit, 4));
  w.Run(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 1));
  w.Do(StoreMeters{{{w.Attempt(job), (At(2026, 10, 1, 0, 1) - At(2026, 9, 30, 12)).millis(), 9}}});
  return job;
}

TEST(Statement, CountsAJobOverTwoMonthsOnce) {  // C39
  CoreWorld w;
  w.Deposit("alice", 5'000);
  const JobId job = Night(w, Duration::Hours(72));
  w.AdvanceTo(At(2026, 10, 3, 12));
  w.Exit(job, 0);
  Books books(w);
  const UsageReport months = books.Usage({.by = UsageBy::kMonth});
  ASSERT_EQ(months.lines.size(), 2u);
  EXPECT_EQ(months.lines[0].key, "2026-09");
  EXPECT_EQ(months.lines[0].amount, Money::Whole(576));
  EXPECT_EQ(months.lines[0].unit_ms, 48 * kHourMs);
  EXPECT_EQ(months.lines[1].key, "2026-10");
  EXPECT_EQ(months.lines[1].amount, Money::Whole(2'880));
  EXPECT_EQ(months.lines[1].unit_ms, 240 * kHourMs);
  EXPECT_EQ(months.total.attempts, 1);
  Money days;
  for (const UsageLine& day : books.Usage({.by = UsageBy::kDay}).lines) days += day.amount;
  EXPECT_EQ(days, Money::Whole(3'456));
  const MemberId alice = w.Member("alice");
  const Statement september = books.Month(alice, 9);
  EXPECT_EQ(Sum(september, "charge"), -Money::Whole(576));
  EXPECT_EQ(Closing(september), Money::Whole(4'424));
  EXPECT_EQ(books.Month(alice, 10).opening, Money::Whole(4'424));
  EXPECT_EQ(Closing(books.Month(alice, 10)), Money::Whole(1'544));
}

TEST(Statement, GivesBackInTheOpenMonthWhatTheLabPaysAfterAll) {
  CoreWorld w;
  w.Deposit("alice", 5'000);
  const JobId job = Night(w, Duration::Hours(72));
  w.AdvanceTo(At(2026, 10, 1, 6));
  w.End(job, EndReason::kSupervisorLost);
  Books books(w);
  const MemberId alice = w.Member("alice");
  EXPECT_EQ(Sum(books.Month(alice, 9), "charge"), -Money::Whole(576));
  const Statement october = books.Month(alice, 10);
  EXPECT_EQ(Sum(october, "refund"), Money::Whole(576));
  EXPECT_EQ(Closing(october), Money::Whole(5'000));
  const UsageReport usage = books.Usage({.from = At(2026, 10, 1), .to = At(2026, 11, 1)});
  ASSERT_EQ(usage.lines.size(), 2u);
  EXPECT_EQ(usage.lines[0].amount, -Money::Whole(576));
  EXPECT_EQ(usage.lines[0].unit_ms, -48 * kHourMs);
  EXPECT_TRUE(usage.lines[1].lab);
  EXPECT_EQ(usage.total.amount, usage.lines[0].amount + usage.lines[1].amount);
}

TEST(Statement, HoldsMonthsOfTheLabsZone) {  // C37
  CoreWorld w(At(2026, 8, 31, 23));
  w.AddNode("box", "a100", 1);
  w.Deposit("alice", 10);
  w.AdvanceTo(At(2026, 8, 31, 23, 59, 59));
  w.Deposit("alice", 20);
  w.AdvanceTo(At(2026, 9, 1));
  w.Deposit("alice", 40);
  w.AdvanceTo(At(2026, 9, 1, 7, 59));  // a minute before midnight in UTC
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Minutes(5)));
  w.Run(job);
  w.AdvanceTo(At(2026, 9, 1, 8, 1));
  w.Exit(job, 0);
  Books books(w);
  const MemberId alice = w.Member("alice");
  EXPECT_EQ(Sum(books.Month(alice, 8), "credit"), Money::Whole(30));
  EXPECT_EQ(Sum(books.Month(alice, 8), "charge"), Money());
  EXPECT_EQ(Sum(books.Month(alice, 9), "credit"), Money::Whole(40));
  EXPECT_EQ(books.Month(alice, 9).opening, Money::Whole(30));
  const UsageReport days = books.Usage({.by = UsageBy::kDay});
  ASSERT_EQ(days.lines.size(), 1u);
  EXPECT_EQ(days.lines[0].key, "2026-09-01");
  EXPECT_EQ(days.lines[0].amount, Money::Micros(400'000));
}

TEST(Usage, CountsRunsBeforeARequeue) {  // C79
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 4);
  w.AddNode("other", "a100", 4);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(3), 4));
  w.Run(job);
  w.Advance(Duration::Minutes(64));
  w.End(job, EndReason::kRunAgain);
  w.Run(job);
  w.Advance(Duration::Minutes(74));
  w.End(job, EndReason::kSupervisorLost);
  w.Run(job);
  w.Advance(Duration::Minutes(102));
  w.Exit(job, 0);
  Books books(w);
  for (const UsageBy by : {UsageBy::kJob, UsageBy::kMember, UsageBy::kDay}) {
    const UsageReport report = books.Usage({.by = by});
    EXPECT_EQ(report.total.attempts, 3);
    EXPECT_EQ(report.total.jobs, 1);
    EXPECT_EQ(report.total.wall_ms, 4 * kHourMs);
    EXPECT_EQ(report.total.unit_ms, 16 * kHourMs);
    ASSERT_EQ(report.lines.size(), 2u);
    EXPECT_EQ(report.lines[0].attempts, 2);
    EXPECT_EQ(report.lines[1].attempts, 1) << "the lab pays for the one that was lost";
    EXPECT_EQ(report.lines[1].wasted, report.lines[1].amount);
  }
  EXPECT_EQ(books.Month(w.Member("alice"), 9).entries.size(), 2u) << "one line an attempt";
}

}  // namespace
}  // namespace pinka::db
