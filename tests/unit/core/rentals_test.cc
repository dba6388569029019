// Rentals and who pays for them: rentals.cc, open_rental.cc, close_rental.cc.
#include "scheduler/core/rentals.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/core_world.h"
#include "tests/unit/core/rentals_of.h"

namespace pinka::test {
namespace {

TEST(Rental, OfTwoJobsInOnePaidHourLeavesTheRestToTheLab) {
  CoreWorld w;
  w.Deposit("alice", 100);
  w.Deposit("bob", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  const NodeId node = w.Node("box");
  RunFor(w, "alice", Duration::Minutes(20));
  RunFor(w, "bob", Duration::Minutes(25));
  w.Advance(Duration::Minutes(15));
  w.Do(Remove(w, "box"));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(4));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "bob"), Money::Whole(5));
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money::Whole(3));
  EXPECT_EQ(Side(w, AccountKind::kRounding), Money());
  EXPECT_EQ(Side(w, AccountKind::kVariance), Money());
  const RentalRow& row = w.store().tables().rentals.begin()->second;
  EXPECT_EQ(row.node, node);
  EXPECT_EQ(row.billed, Money::Whole(12));
  EXPECT_EQ(row.members, Money::Whole(9));
  EXPECT_EQ(row.closed_at, w.now);
  ASSERT_EQ(w.Transfers(TransferKind::kRental).size(), 1u);
  const TransferRow entry = w.Transfers(TransferKind::kRental).front();
  EXPECT_EQ(entry.rental, row.id);
  EXPECT_EQ(entry.node, node);
  for (const TransferRow& charge : w.Transfers(TransferKind::kCharge))
    EXPECT_EQ(charge.rental, row.id);
}

TEST(Rental, EndedEarlyPutsTheRestOfItsHourOnRounding) {
  CoreWorld w;
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  RunFor(w, "alice", Duration::Minutes(20));
  w.Advance(Duration::Minutes(5));
  w.Do(Remove(w, "box"));
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money::Whole(1));
  EXPECT_EQ(Side(w, AccountKind::kRounding), Money::Whole(7));
}

TEST(Rental, DearerThanItsTierPutsTheDifferenceOnVariance) {
  CoreWorld w;
  w.Deposit("alice", 100);
  BillingRow dear = Hourly(1'500);
  dear.rule.disk = Rate::MicrosPerUnitHour(10'000);
  Bill(w, "a100", dear);
  w.AddNode("box", "a100", 1);
  RunFor(w, "alice", Duration::Minutes(60));
  w.Do(Remove(w, "box"));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(12));
  EXPECT_EQ(Side(w, AccountKind::kVariance), Money::Whole(3));
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money());
  EXPECT_EQ(Side(w, AccountKind::kDisk), Money()) << "it has none";
}

TEST(Rental, CheaperThanItsTierTakesFromVariance) {
  CoreWorld w;
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly(1'000));
  w.AddNode("box", "a100", 1);
  RunFor(w, "alice", Duration::Minutes(60));
  w.Do(Remove(w, "box"));
  EXPECT_EQ(Side(w, AccountKind::kVariance), -Money::Whole(2));
}

TEST(Rental, CountsWhatTheLabPaysForAttempts) {
  CoreWorld w;
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Minutes(15));
  w.End(job, EndReason::kHardwareLost);
  w.Advance(Duration::Minutes(45));
  w.Do(Remove(w, "box"));
  const RentalRow& row = w.store().tables().rentals.begin()->second;
  EXPECT_EQ(row.lab, Money::Whole(3));
  EXPECT_EQ(row.members, Money());
  EXPECT_EQ(row.idle, Money::Whole(9));
}

TEST(Rental, LeavesHoursOfPackagesAlone) {
  CoreWorld w;
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  w.Buy(w.Package("a100", 4, Money::Whole(20), {{"alice", 1}}));
  RunFor(w, "alice", Duration::Minutes(60));
  w.Do(Remove(w, "box"));
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money::Whole(12));
  EXPECT_EQ(w.store().tables().rentals.begin()->second.members, Money());
}

TEST(Rental, OpensAndClosesWithItsNode) {
  CoreWorld w;
  w.AddNode("early", "a100", 1);
  w.AddNode("other", "t4", 1);
  EXPECT_TRUE(w.store().tables().rentals.empty()) << "no rule, no rental";
  const Reply applied = Bill(w, "a100", Hourly());
  ASSERT_EQ(applied.lines.size(), 1u);
  EXPECT_EQ(applied.lines[0],
            "tier a100: on_demand billed at nothing -> 12.000000 per unit-hour of provider, at "
            "least 1h, in blocks of 1h");
  EXPECT_EQ(w.store().tables().rentals.size(), 1u) << "of the node that serves already";
  EXPECT_TRUE(Bill(w, "a100", Hourly()).lines.empty()) << "nothing new";
  EXPECT_EQ(RentalOf(w, "early").opened_at, w.now);
  w.Advance(Duration::Minutes(10));
  w.Do(NodeSilent{w.Node("early"), {}});
  EXPECT_FALSE(RentalOf(w, "early").closed_at) << "silent is not gone";
  w.Report("early");
  EXPECT_EQ(w.store().tables().rentals.size(), 1u);
  const NodeId id = w.Node("early");
  w.Do(Remove(w, "early"));
  for (const auto& [rental, row] : w.store().tables().rentals) {
    if (row.node == id) {
      EXPECT_EQ(row.closed_at, w.now);
    }
  }
  EXPECT_TRUE(w.state().open_rentals.empty());
}

TEST(Rental, OfAMachineThatHasGrownIsAnotherOne) {
  CoreWorld w;
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  w.Advance(Duration::Minutes(30));
  w.Agent("box").report.facts.gpus.push_back({1, "box-gpu1", "a100", 24'000});
  w.Report("box");
  EXPECT_EQ(w.store().tables().rentals.size(), 2u);
  EXPECT_EQ(RentalOf(w, "box").units, 2);
  EXPECT_EQ(RentalOf(w, "box").opened_at, w.now);
  EXPECT_EQ(w.store().tables().rentals.begin()->second.billed, Money::Whole(12));
}

TEST(Rental, KeepsTheRuleItWasOpenedUnder) {
  CoreWorld w;
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  Bill(w, "a100", Hourly(9'900));
  w.Advance(Duration::Minutes(30));
  w.AddNode("later", "a100", 1);
  EXPECT_EQ(RentalOf(w, "box").rule.rate, Rate::MicrosPerUnitHour(12'000'000));
  EXPECT_EQ(RentalOf(w, "later").rule.rate, Rate::MicrosPerUnitHour(99'000'000));
  w.Reload();
  w.Do(Remove(w, "box"));
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money::Whole(6));
  EXPECT_EQ(Side(w, AccountKind::kRounding), Money::Whole(6));
}

TEST(Rental, IsPostedAtTheMonthsEndOnceWorkIsMeteredPastIt) {
  CoreWorld w(At(2026, 9, 30, 22));
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  w.AddNode("spare", "a100", 1);
  JobRequest request = w.Job("a100", Duration::Hours(5));
  const JobId job = w.Submit("alice", request);
  const NodeId used = w.AttemptOf(job).node;
  w.Run(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 0, 30));
  // The idle machine is posted at once, the other waits for the meter.
  ASSERT_EQ(w.Transfers(TransferKind::kRental).size(), 1u);
  EXPECT_EQ(w.Transfers(TransferKind::kRental)[0].amount, Money::Whole(24));
  EXPECT_EQ(w.Transfers(TransferKind::kRental)[0].at, At(2026, 10, 1) - Duration::Micros(1));
  EXPECT_NE(w.Transfers(TransferKind::kRental)[0].node, used);
  w.Do(StoreMeters{{{w.Attempt(job), 7'230'000, 0}}});
  const RentalRow& row = w.store().tables().rentals.at(w.state().open_rentals.at(used));
  EXPECT_EQ(row.posted_at, At(2026, 10, 1));
  EXPECT_EQ(row.billed, Money::Whole(24));
  EXPECT_EQ(row.members, Money::Whole(24));
  EXPECT_EQ(row.idle, Money());
  EXPECT_EQ(w.Close(At(2026, 9, 30)).reason, Reason::kOk);
  w.AdvanceTo(At(2026, 10, 1, 1));
  w.Exit(job, 0);
  EXPECT_EQ(row.since_members, Money::Whole(12));
  w.Advance(Duration::Minutes(30));
  w.Do(Remove(w, "box"));
  w.Do(Remove(w, "spare"));
  // Three hours, and three and a half begun: 36 + 48 each, alice 36.
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money::Whole(6 + 42));
  EXPECT_EQ(Side(w, AccountKind::kRounding), Money::Whole(6 + 6));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(36));
}

TEST(Rental, LeavesNothingBehindInAMonthThatIsClosedByForce) {
  CoreWorld w(At(2026, 9, 30, 22));
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(5)));
  w.Run(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 10));
  EXPECT_TRUE(w.Transfers(TransferKind::kRental).empty());
  EXPECT_EQ(w.Close(At(2026, 9, 30)).reason, Reason::kConflict);
  EXPECT_EQ(w.Close(At(2026, 9, 30), true).reason, Reason::kOk);
  ASSERT_EQ(w.Transfers(TransferKind::kRental).size(), 1u);
  EXPECT_EQ(w.Transfers(TransferKind::kRental)[0].at, At(2026, 10, 1) - Duration::Micros(1));
  w.AdvanceTo(At(2026, 10, 1, 1));
  w.Exit(job, 0);
  w.Do(Remove(w, "box"));
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money()) << "what was idle then was work after all";
}

TEST(Rental, IsOpenedAndClosedByHand) {
  CoreWorld w;
  w.AddNode("box", "a100", 2);
  const auto open = [&](Timestamp at) {
    return w.Do(OpenRental{w.Admin(), {}, "box", "i-07", 100, at});
  };
  EXPECT_EQ(open({}).reason, Reason::kNoRate) << "no rule";
  BillingRow rule = Hourly();
  rule.rule.disk = Rate::MicrosPerUnitHour(1'000);
  Bill(w, "a100", rule);
  EXPECT_EQ(open({}).reason, Reason::kConflict) << "it serves: one is open";
  const RentalId first = w.state().open_rentals.at(w.Node("box"));
  const auto close = [&](RentalId id, Timestamp at, const std::string& why) {
    return w.Do(CloseRental{w.Admin(), {}, id, at, why});
  };
  w.Advance(Duration::Hours(1));
  EXPECT_EQ(close(first, {}, " ").reason, Reason::kBadRequest);
  EXPECT_EQ(close(RentalId(9'999), {}, "off").reason, Reason::kNoSuchAccount);
  EXPECT_EQ(close(first, w.now + Duration::Seconds(1), "off").reason, Reason::kBadRequest);
  EXPECT_EQ(close(first, w.now - Duration::Hours(2), "off").reason, Reason::kConflict);
  EXPECT_EQ(w.Do(CloseRental{w.By("alice"), {}, first, {}, "off"}).reason, Reason::kNotPermitted);
  EXPECT_EQ(close(first, w.now - Duration::Minutes(30), "off").reason, Reason::kOk);
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money::Whole(12));
  EXPECT_EQ(Side(w, AccountKind::kRounding), Money::Whole(12));
  EXPECT_NE(close(first, {}, "off").note.find("closed already"), std::string::npos);
  EXPECT_EQ(open(w.now - Duration::Minutes(31)).reason, Reason::kConflict) << "billed twice";
  EXPECT_EQ(open(w.now + Duration::Minutes(1)).reason, Reason::kBadRequest);
  EXPECT_EQ(w.Do(OpenRental{w.Admin(), {}, "nobox", "", 0, {}}).reason, Reason::kNoSuchNode);
  EXPECT_EQ(w.Do(OpenRental{w.Admin(), {}, "box", "", -1, {}}).reason, Reason::kBadRequest);
  EXPECT_EQ(w.Do(OpenRental{w.By("bob"), {}, "box", "", 0, {}}).reason, Reason::kNotPermitted);
  const Reply second = open(w.now - Duration::Minutes(20));
  ASSERT_EQ(second.reason, Reason::kOk) << second.detail;
  const RentalRow& row = w.store().tables().rentals.at(RentalId(second.first));
  EXPECT_TRUE(row.by_hand);
  EXPECT_EQ(row.instance, "i-07");
  w.Advance(Duration::Minutes(40));
  EXPECT_EQ(close(row.id, {}, "off").reason, Reason::kOk);
  EXPECT_EQ(row.disk, Money::Micros(100'000)) << "100 GB for an hour";
  EXPECT_EQ(Side(w, AccountKind::kDisk), row.disk);
}

TEST(Rental, IsNotClosedBeforeTheWorkThatRanOnIt) {
  CoreWorld w;
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  w.Advance(Duration::Minutes(10));
  RunFor(w, "alice", Duration::Minutes(30));
  const RentalId id = RentalOf(w, "box").id;
  const auto close = [&](Timestamp at) { return w.Do(CloseRental{w.Admin(), {}, id, at, "off"}); };
  EXPECT_EQ(close(w.now - Duration::Minutes(20)).reason, Reason::kConflict);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Minutes(2));
  EXPECT_EQ(close(w.now - Duration::Minutes(2)).reason, Reason::kConflict);
  EXPECT_EQ(close({}).reason, Reason::kOk);
  EXPECT_EQ(Side(w, AccountKind::kIdle), Cents(240));
  w.Advance(Duration::Minutes(8));
  w.Exit(job, 0);
  EXPECT_EQ(w.store().tables().rentals.at(id).members, Money::Whole(8)) << "it ends there";
  EXPECT_EQ(Side(w, AccountKind::kIdle), Cents(40));
}

TEST(Rental, IsForgottenAfterSeventyFiveDays) {
  CoreWorld w;
  Bill(w, "a100", Hourly());
  w.AddNode("box", "a100", 1);
  w.Do(Remove(w, "box"));
  EXPECT_EQ(w.state().rentals.rows().size(), 1u);
  w.Advance(Duration::Days(74));
  EXPECT_EQ(w.state().rentals.rows().size(), 1u);
  w.Advance(Duration::Days(2));
  EXPECT_TRUE(w.state().rentals.rows().empty());
  EXPECT_EQ(w.store().tables().rentals.size(), 1u);
}

TEST(Rental, RefusesRulesThatNoProviderHas) {
  CoreWorld w;
  BillingRow row = Hourly();
  row.rule.block = Duration();
  EXPECT_EQ(Bill(w, "a100", row).reason, Reason::kBadRequest);
  row = Hourly();
  row.rule.cut = Duration::Seconds(1);
  EXPECT_EQ(Bill(w, "a100", row).reason, Reason::kBadRequest);
  row = Hourly();
  row.rule.rate = Rate::MicrosPerUnitHour(-1);
  EXPECT_EQ(Bill(w, "a100", row).reason, Reason::kBadRequest);
}

TEST(PaidLeft, GoesFirst) {
  CoreWorld w;
  w.Deposit("alice", 1'000);
  Bill(w, "a100", Hourly());
  w.AddNode("old", "a100", 1);
  w.Advance(Duration::Minutes(26));
  w.AddNode("young", "a100", 1);
  w.Advance(Duration::Minutes(14));
  EXPECT_EQ(PaidLeft(w.state(), w.Node("old")), Duration::Minutes(20));
  EXPECT_EQ(PaidLeft(w.state(), w.Node("young")), Duration::Minutes(46));
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Minutes(30)));
  EXPECT_EQ(w.AttemptOf(job).node, w.Node("young")) << "all of it is paid for there";
  w.Run(job);
  w.Exit(job, 0);
  // Where both cover it, the fuller machine; here the first of two equal ones.
  const JobId small = w.Submit("alice", w.Job("a100", Duration::Minutes(10)));
  EXPECT_EQ(w.AttemptOf(small).node, w.Node("old"));
}

// Whatever happens, the parts are the bill: the fake store refuses rows that do not add up, and the
// entries say the same.
TEST(Rental, IsExplainedToTheMicroUnit) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(random.Below(n)); };
    CoreWorld w(At(2026, 9, 30, 20));
    w.Deposit("alice", 100'000);
    BillingRow rule = Hourly(below(3'000));
    rule.rule.minimum = Duration::Seconds(below(7'200));
    rule.rule.block = Duration::Seconds(1 + below(3'600));
    rule.rule.rounding = below(2) == 0 ? Rounding::kUp : Rounding::kHalfAway;
    rule.rule.round_at = below(2) == 0 ? RoundAt::kSegment : RoundAt::kBill;
    rule.rule.round_to = Money::Micros(1 + below(20'000));
    if (below(2) == 0) rule.rule.cut = Duration::Minutes(7 + below(200));
    Bill(w, "a100", rule);
    w.AddNode("box", "a100", 2);
    for (int i = 0; i < 12; ++i) {
      const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(4)));
      w.Run(job);
      w.Advance(Duration::Millis(below(3'600'000)));
      if (below(3) == 0) w.Do(StoreMeters{{{w.Attempt(job), below(3'600'000), 0}}});
      w.Advance(Duration::Millis(below(600'000)));
      below(4) == 0 ? w.End(job, EndReason::kStagingFailed) : w.Exit(job, 0);
      if (w.StateOf(job) == TaskState::kStarting) w.Change("alice", JobVerb::kCancel, job);
      if (w.StateOf(job) == TaskState::kStopping) w.End(job, EndReason::kWithdrawn);
    }
    w.Do(Remove(w, "box"));
    const RentalRow& row = w.store().tables().rentals.begin()->second;
    EXPECT_EQ(row.billed, w.Balance(AccountKind::kSpent, "alice") +
                              w.Balance(AccountKind::kOverheadStart, "lab") +
                              Side(w, AccountKind::kIdle) + Side(w, AccountKind::kRounding) +
                              Side(w, AccountKind::kVariance));
    EXPECT_GE(row.idle, Money());
    EXPECT_GE(row.used_ms, 1);
  }
}

}  // namespace
}  // namespace pinka::test
