// The checker itself: it is quiet where all is well, and names what is not.
#include "scheduler/sim/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

struct Audited {
  Audited() {
    lot = w.Deposit("lab", 100);
    w.AddNode("box", "a100", 2);
    job = w.Submit("alice", w.Job("a100"));
    w.Run(job);
    w.Advance(Duration::Minutes(10));
    w.Exit(job, 0);
    again = w.Submit("bob", w.Job("a100"));
    store = w.store();
  }
  std::vector<std::string> After(const Changes& changes) {
    const auto refused = store.Commit(store.batch() + 1, w.core().now(), changes);
    EXPECT_FALSE(refused) << *refused;
    return sim::Audit(w.core(), store);
  }

  CoreWorld w;
  LotId lot;
  JobId job, again;
  sim::FakeStore store;
};

TEST(Audit, IsQuietWhereAllIsWell) {
  Audited a;
  EXPECT_THAT(sim::Audit(a.w.core(), a.store), IsEmpty());
}

TEST(Audit, SeesMoneyThatNoEntryExplains) {
  Audited a;
  Changes c;
  c.lot_moves.push_back({a.lot, Money::Micros(1), {}, {}, false});
  EXPECT_THAT(a.After(c), Contains(HasSubstr("its entries say something else")));
}

TEST(Audit, SeesAJobThatWasChargedSomethingElse) {
  Audited a;
  Changes c;
  c.jobs.push_back(a.store.tables().jobs.at(a.job));
  c.jobs[0].charged += Money::Micros(1);
  EXPECT_THAT(a.After(c), Contains(HasSubstr("charged something else than its entries")));
}

TEST(Audit, SeesAJobAboveItsCeiling) {
  Audited a;
  Changes c;
  c.jobs.push_back(a.store.tables().jobs.at(a.again));
  c.jobs[0].max_cost = Money::Micros(1);
  EXPECT_THAT(a.After(c), Contains(HasSubstr("above its ceiling")));
}

TEST(Audit, SeesAHeldSumThatNoLineExplains) {
  Audited a;
  Changes c;
  c.lot_moves.push_back({a.lot, {}, {}, Money::Micros(1), false});
  EXPECT_THAT(a.After(c), Contains(HasSubstr("held is not the sum of open lines")));
}

TEST(Audit, SeesAnEndThatWasNotSettled) {
  Audited a;
  Changes c;
  AttemptRow attempt = a.w.AttemptOf(a.again);
  attempt.state = AttemptState::kEnded;
  attempt.end_reason = EndReason::kExited;
  attempt.ended_at = a.w.now;
  c.attempts.push_back(attempt);
  const auto found = a.After(c);
  EXPECT_THAT(found, Contains(HasSubstr("settled before its end, or not after it")));
  EXPECT_THAT(found, Contains(HasSubstr("its hold is not as open as it is")));
}

TEST(Audit, SeesACardGivenOutTwice) {
  Audited a;
  Changes c;
  AttemptRow attempt = a.w.AttemptOf(a.again);
  TaskRow task = a.store.tables().tasks.at({a.again, 0});
  attempt.id.index = task.id.index = 1;
  c.tasks.push_back(task);
  c.attempts.push_back(attempt);
  EXPECT_THAT(sim::AuditMachines(a.store), IsEmpty());
  EXPECT_THAT(a.After(c), Contains(HasSubstr("a card is given out twice")));
}

TEST(Audit, SeesCountsThatAreNoRecount) {
  Audited a;
  Changes c;
  JobRow job = a.store.tables().jobs.at(a.again);
  ++job.counts[static_cast<size_t>(TaskState::kPending)];
  c.jobs.push_back(job);
  EXPECT_THAT(a.After(c), Contains(HasSubstr("counts are no recount")));
}

TEST(Audit, SeesARowThatTheRunningCoreDoesNotHave) {
  Audited a;
  Changes c;
  MemberRow dave;
  dave.id = MemberId(999);
  dave.name = "dave";
  c.members.push_back(dave);
  EXPECT_THAT(a.After(c), Contains(HasSubstr("reload: other rows")));
}

}  // namespace
}  // namespace pinka::test
