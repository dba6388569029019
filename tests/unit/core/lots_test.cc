#include "scheduler/core/lots.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Lots, AreBurntNarrowScopeFirstThenSoonestEndThenOldest) {
  CoreWorld w;
  w.AddProject("nlp", {"alice"});
  const LotId lab = w.Deposit("lab", 1);
  const LotId project = w.Deposit("project:nlp", 1);
  const LotId late = w.Deposit("alice", Money::Whole(1), w.now + Duration::Days(9));
  const LotId soon = w.Deposit("alice", Money::Whole(1), w.now + Duration::Days(2));
  const LotId soon_too = w.Deposit("alice", Money::Whole(1), w.now + Duration::Days(2));
  w.Deposit("bob", 1);
  const ProjectId nlp = w.state().project_by_name.at("nlp");
  EXPECT_EQ(LotsInReach(w.state(), w.Member("alice"), nlp, w.Tier("a100")),
            (std::vector<LotId>{soon, soon_too, late, project, lab}));
  EXPECT_EQ(LotsInReach(w.state(), w.Member("alice"), {}, w.Tier("a100")),
            (std::vector<LotId>{soon, soon_too, late, lab}));
  EXPECT_EQ(LotsInReach(w.state(), w.Member("carol"), {}, w.Tier("a100")),
            (std::vector<LotId>{lab}));
}

TEST(Lots, OfOneTierAreSpentThereOnlyAndFirst) {
  CoreWorld w;
  pinka::Deposit tied;
  tied.actor = w.Admin();
  tied.to = OwnedBy(w.Member("alice"));
  tied.amount = Money::Whole(5);
  tied.tier = w.Tier("a100");
  const LotId a100 = LotId(w.Do(tied).first);
  const LotId any = w.Deposit("alice", 5);
  EXPECT_EQ(LotsInReach(w.state(), w.Member("alice"), {}, w.Tier("a100")),
            (std::vector<LotId>{a100, any}));
  EXPECT_EQ(LotsInReach(w.state(), w.Member("alice"), {}, w.Tier("t4")), (std::vector<LotId>{any}));
}

TEST(Lots, LapseAtTheirEndWithAnEntry) {
  CoreWorld w;
  const LotId lot = w.Deposit("alice", Money::Whole(7), w.now + Duration::Hours(1));
  w.Advance(Duration::Minutes(59));
  EXPECT_FALSE(w.Lot(lot).lapsed);
  w.Advance(Duration::Hours(5));
  EXPECT_TRUE(w.Lot(lot).lapsed);
  EXPECT_EQ(w.Available("alice"), Money());
  const auto lapses = w.Transfers(TransferKind::kLapse);
  ASSERT_EQ(lapses.size(), 1u);
  EXPECT_EQ(lapses[0].amount, Money::Whole(7));
  EXPECT_EQ(lapses[0].at, w.Lot(lot).ends_at) << "at its end, not when somebody looked";
}

TEST(Lots, AreLogicallyEmptyFromTheirLastInstantOn) {
  CoreWorld w;
  w.Deposit("alice", Money::Whole(50), w.now + Duration::Hours(1));
  w.AddNode("box", "a100", 1);
  w.now = w.now + Duration::Hours(1);  // half-open: the end is outside
  const Reply refused = w.TrySubmit("alice", w.Job("a100"));
  EXPECT_EQ(refused.reason, Reason::kBudget);
}

}  // namespace
}  // namespace pinka::test
