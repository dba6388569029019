#include "scheduler/sim/fake_store.h"

#include <gtest/gtest.h>

#include "scheduler/core/digest.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

// A lab with one running job, and a copy of its store to abuse.
struct Stored {
  Stored() {
    lot = w.Deposit("lab", 100);
    w.AddNode("box", "a100", 2);
    job = w.Submit("alice", w.Job("a100"), {"key", "hash"});
    w.Run(job);
    store = w.store();
  }
  std::optional<std::string> Try(const Changes& changes) {
    const std::string before = DumpOf(store.Load());
    auto refused = store.Commit(store.batch() + 1, w.now, changes);
    if (refused) {
      EXPECT_EQ(DumpOf(store.Load()), before) << "everything or nothing";
    }
    return refused;
  }

  CoreWorld w;
  LotId lot;
  JobId job;
  sim::FakeStore store;
};

TEST(FakeStore, RefusesABatchOutOfItsPlace) {
  Stored s;
  EXPECT_TRUE(s.store.Commit(s.store.batch(), s.w.now, {}));
  EXPECT_TRUE(s.store.Commit(s.store.batch() + 2, s.w.now, {}));
  EXPECT_FALSE(s.store.Commit(s.store.batch() + 1, s.w.now, {}));
}

TEST(FakeStore, JudgesTheFloorOnlyWhereAHoldWasMade) {
  Stored s;
  Changes c;
  c.lot_moves.push_back({s.lot, {}, {}, Money::Whole(89), true});
  EXPECT_EQ(s.Try(c), "floor: lot " + std::to_string(s.lot.value()));
  c.lot_moves[0].guarded = false;
  EXPECT_FALSE(s.Try(c));
}

TEST(FakeStore, RefusesASecondLiveAttemptOfATask) {
  Stored s;
  Changes c;
  AttemptRow twin = s.w.AttemptOf(s.job);
  twin.id.number = 2;
  c.attempts.push_back(twin);
  EXPECT_EQ(s.Try(c), "attempts: two live of one task");
}

TEST(FakeStore, RefusesAChargeBeyondItsHold) {
  Stored s;
  Changes c;
  HoldRow hold = s.w.HoldOf(s.job);
  hold.posted = hold.amount + Money::Micros(1);
  c.holds.push_back(hold);
  EXPECT_EQ(s.Try(c), "holds: charge beyond the hold");
}

TEST(FakeStore, RefusesLinesThatDoNotAddUp) {
  Stored s;
  Changes c;
  HoldRow hold = s.w.HoldOf(s.job);
  hold.posted = Money::Whole(1);
  c.holds.push_back(hold);
  EXPECT_TRUE(s.Try(c)->starts_with("hold lines do not add up"));
}

TEST(FakeStore, KeepsEntriesAndSettlementsAppendOnly) {
  Stored s;
  s.w.Advance(Duration::Minutes(10));
  s.w.Exit(s.job, 0);
  s.store = s.w.store();
  Changes transfer;
  transfer.transfers.push_back(s.store.tables().transfers.begin()->second);
  EXPECT_EQ(s.Try(transfer), "transfers: the key is taken");
  Changes settlement;
  settlement.settlements.push_back(s.store.tables().settlements.begin()->second);
  EXPECT_EQ(s.Try(settlement), "settlements: the key is taken");
}

TEST(FakeStore, RefusesAKnownRequestForADay) {
  Stored s;
  Changes c;
  c.requests.push_back(s.store.tables().requests.begin()->second);
  EXPECT_EQ(s.Try(c), "request key is known");
  c.requests[0].at = c.requests[0].at + Duration::Hours(24);
  EXPECT_FALSE(s.Try(c));
}

}  // namespace
}  // namespace pinka::test
