// The closed vocabularies: types.cc, reason.cc; and the small values changes.cc, digest.cc,
// state.cc.
#include <gtest/gtest.h>

#include <set>

#include "scheduler/core/digest.h"
#include "scheduler/core/reason.h"
#include "scheduler/core/types.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

template <class E>
void ExpectNamesGoBothWays(int count) {
  std::set<std::string> names;
  for (int n = 0; n < count; ++n) {
    const E value = static_cast<E>(n);
    const std::string name(Name(value));
    EXPECT_TRUE(names.insert(name).second) << name;
    E back = static_cast<E>((n + 1) % count);
    ASSERT_TRUE(FromName(name, &back)) << name;
    EXPECT_EQ(back, value);
  }
  E untouched = static_cast<E>(0);
  EXPECT_FALSE(FromName("no such name", &untouched));
}

TEST(Names, AreStableDistinctAndReadBack) {
  ExpectNamesGoBothWays<TaskState>(kTaskStates);
  ExpectNamesGoBothWays<AttemptState>(6);
  ExpectNamesGoBothWays<NodeState>(8);
  ExpectNamesGoBothWays<HardwareVerdict>(4);
  ExpectNamesGoBothWays<Source>(5);
  ExpectNamesGoBothWays<JobClass>(3);
  ExpectNamesGoBothWays<Want>(3);
  ExpectNamesGoBothWays<StopReason>(7);
  ExpectNamesGoBothWays<OwnerKind>(3);
  ExpectNamesGoBothWays<AccountKind>(11);
  ExpectNamesGoBothWays<TransferKind>(11);
  ExpectNamesGoBothWays<Spread>(3);
  ExpectNamesGoBothWays<PaymentState>(2);
  ExpectNamesGoBothWays<HoldState>(3);
  ExpectNamesGoBothWays<LimitResource>(4);
  ExpectNamesGoBothWays<LimitOf>(2);
  ExpectNamesGoBothWays<Period>(3);
  ExpectNamesGoBothWays<Openness>(3);
  ExpectNamesGoBothWays<Wish>(6);
  ExpectNamesGoBothWays<PackageKind>(2);
  ExpectNamesGoBothWays<SplitRule>(3);
  ExpectNamesGoBothWays<BorrowRule>(3);
  ExpectNamesGoBothWays<LapseTo>(2);
  ExpectNamesGoBothWays<Reason>(static_cast<int>(Reason::kPoison) + 1);
}

TEST(TaskStates, AreWaitingLiveOrTerminalAndNeverTwo) {
  int waiting = 0;
  int live = 0;
  int terminal = 0;
  for (int n = 0; n < kTaskStates; ++n) {
    const TaskState s = static_cast<TaskState>(n);
    EXPECT_EQ(IsWaiting(s) + IsLive(s) + IsTerminal(s), 1) << Name(s);
    waiting += IsWaiting(s);
    live += IsLive(s);
    terminal += IsTerminal(s);
  }
  EXPECT_EQ(waiting, 2);
  EXPECT_EQ(live, 4);
  EXPECT_EQ(terminal, 9);
}

TEST(Changes, CountEveryRow) {
  Changes changes;
  EXPECT_TRUE(changes.empty());
  changes.lab.resize(1);
  changes.jobs.resize(2);
  changes.events.resize(3);
  changes.lot_moves.resize(4);
  changes.tokens.resize(5);
  changes.packages.resize(6);
  changes.portions.resize(7);
  changes.billing.resize(8);
  changes.rentals.resize(9);
  EXPECT_EQ(changes.rows(), 45);
  EXPECT_FALSE(changes.empty());
}

TEST(Digest, MovesWithEveryField) {
  CoreWorld w;
  w.Deposit("lab", 100);
  w.Buy(w.Package("t4", 10, Money::Whole(10), {{"alice", 1}}));
  w.AddNode("box", "a100", 1);
  w.Run(w.Submit("alice", w.Job("a100"), {"key", "hash"}));
  const Snapshot whole = w.store().Load();
  std::vector<std::function<void(Snapshot&)>> changes = {
      [](Snapshot& s) { s.now = s.now + Duration::Micros(1); },
      [](Snapshot& s) { s.lab.next_transfer++; },
      [](Snapshot& s) { s.members[0].share++; },
      [](Snapshot& s) { s.tiers[0].fence = Duration::Micros(1); },
      [](Snapshot& s) { s.rates[0].rate = Rate::MicrosPerUnitHour(1); },
      [](Snapshot& s) { s.nodes[0].gpus[0].uuid += "x"; },
      [](Snapshot& s) { s.nodes[0].version++; },
      [](Snapshot& s) { s.nodes[0].key_hash += "x"; },
      [](Snapshot& s) { s.nodes[0].join_hash += "x"; },
      [](Snapshot& s) { s.nodes[0].join_until = Timestamp::Micros(7); },
      [](Snapshot& s) { s.nodes[0].join_used = !s.nodes[0].join_used; },
      [](Snapshot& s) { s.nodes[0].gpus[0].fault += "x"; },
      [](Snapshot& s) { s.hardware.emplace_back().waits = true; },
      [](Snapshot& s) { s.jobs[0].requeue_exit.push_back(1); },
      [](Snapshot& s) { s.jobs[0].counts[3]++; },
      [](Snapshot& s) { s.tasks[0].infra_restarts++; },
      [](Snapshot& s) { s.tasks[0].run_agains++; },
      [](Snapshot& s) { s.jobs[0].code = "x"; },
      [](Snapshot& s) { s.jobs[0].need_cuda++; },
      [](Snapshot& s) { s.nodes[0].cuda++; },
      [](Snapshot& s) { s.attempts[0].forgotten = true; },
      [](Snapshot& s) { s.attempts[0].gpus.push_back(7); },
      [](Snapshot& s) { s.holds[0].posted = Money::Micros(1); },
      [](Snapshot& s) { s.hold_lines[0].n++; },
      [](Snapshot& s) { s.accounts[0].kind = AccountKind::kLapsed; },
      [](Snapshot& s) { s.lots[0].held = Money(); },
      [](Snapshot& s) { s.requests[0].count++; },
      [](Snapshot& s) { s.months.emplace_back().forced = true; },
      [](Snapshot& s) { s.payments.emplace_back().ref = "bank"; },
      [](Snapshot& s) { s.invoices.emplace_back().charges = Money::Micros(1); },
      [](Snapshot& s) { s.invoice_lines.emplace_back().unknown = Money::Micros(1); },
      [](Snapshot& s) { s.covered.emplace_back().idle = Money::Micros(1); },
      [](Snapshot& s) { s.jobs[0].source = Wish::kSpot; },
      [](Snapshot& s) { s.packages[0].provider += "x"; },
      [](Snapshot& s) { s.packages[0].payer = MemberId(1); },
      [](Snapshot& s) { s.packages[0].used_ms++; },
      [](Snapshot& s) { s.packages[0].moved = Money::Micros(1); },
      [](Snapshot& s) { s.packages[0].lapsed = Money::Micros(1); },
      [](Snapshot& s) { s.packages[0].lapse_to = LapseTo::kOverhead; },
      [](Snapshot& s) { s.packages[0].borrow_ms++; },
      [](Snapshot& s) { s.portions[0].borrowed_ms++; },
      [](Snapshot& s) { s.portions[0].borrowing_ms++; },
      [](Snapshot& s) { s.portions[0].lapsed_ms++; },
      [](Snapshot& s) { s.portions[0].cost = Money(); },
      [](Snapshot& s) { s.billing.emplace_back().provider = "x"; },
      [](Snapshot& s) { s.billing.emplace_back().rule.notice = Duration::Seconds(1); },
      [](Snapshot& s) { s.rentals.emplace_back().instance = "x"; },
      [](Snapshot& s) { s.rentals.emplace_back().rule.cut = Duration::Seconds(1); },
      [](Snapshot& s) { s.rentals.emplace_back().since_used_ms++; },
      [](Snapshot& s) { s.rentals.emplace_back().variance = Money::Micros(1); },
      [](Snapshot& s) {
        s.usage.push_back({MemberId(1), static_cast<Int128>(1) << 100, {}});
      },
  };
  std::set<std::string> digests = {DigestOf(whole)};
  for (size_t n = 0; n < changes.size(); ++n) {
    Snapshot other = whole;
    changes[n](other);
    EXPECT_TRUE(digests.insert(DigestOf(other)).second) << n;
  }
}

TEST(State, KnowsPeriodsHalfOpenAndRatesByTheirTime) {
  CoreWorld w;
  const PeriodRow* september = PeriodAt(w.state(), Period::kMonth, At(2026, 9, 30, 23, 59, 59));
  ASSERT_NE(september, nullptr);
  EXPECT_EQ(september->start_at, At(2026, 9, 1));
  EXPECT_EQ(PeriodAt(w.state(), Period::kMonth, At(2026, 10, 1))->start_at, At(2026, 10, 1));
  EXPECT_EQ(PeriodAt(w.state(), Period::kMonth, At(2040, 1, 1)), nullptr);
  EXPECT_FALSE(RateAt(w.state(), w.Tier("t4"), Source::kOnDemand, w.now - Duration::Hours(1)));
  EXPECT_FALSE(RateAt(w.state(), w.Tier("t4"), Source::kSpot, w.now));
}

TEST(State, NamesOwnersAndTasksAsPeopleDo) {
  CoreWorld w;
  w.AddProject("nlp", {"alice"});
  w.Deposit("lab", 100);
  JobRequest array = w.Job("a100");
  array.array = std::string("3");  // an assigned literal trips GCC 12 (PR105329)
  const JobId plain = w.Submit("alice", w.Job("a100"));
  const JobId many = w.Submit("alice", array);
  EXPECT_EQ(OwnerName(w.state(), OwnedByLab()), "lab");
  EXPECT_EQ(OwnerName(w.state(), OwnedBy(w.Member("王芳"))), "王芳");
  EXPECT_EQ(OwnerName(w.state(), OwnedBy(w.state().project_by_name.at("nlp"))), "project:nlp");
  EXPECT_EQ(TaskName(w.state(), {plain, 0}), std::to_string(plain.value()));
  EXPECT_EQ(TaskName(w.state(), {many, 3}), std::to_string(many.value()) + "_3");
}

}  // namespace
}  // namespace pinka::test
