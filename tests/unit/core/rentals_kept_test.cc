// What a machine costs beyond its up-time: stopped and kept, and what leaves it (rentals.cc,
// close_rental.cc).
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "scheduler/core/rentals.h"
#include "tests/support/core_world.h"
#include "tests/unit/core/rentals_of.h"

namespace pinka::test {
namespace {

// Stopped at 0.60 an hour with a disk of 100 GB at 0.01; 0.80 a GB that leaves.
BillingRow Kept() {
  BillingRow row = Hourly();
  row.rule.stopped_rate = Rate::MicrosPerUnitHour(600'000);
  row.rule.disk = Rate::MicrosPerUnitHour(10'000);
  row.rule.egress = Money::Micros(800'000);
  return row;
}

Reply CloseBy(CoreWorld& w, RentalId id, int64_t egress_bytes, bool stopped = false) {
  return w.Do(CloseRental{w.Admin(), {}, id, {}, "by hand", egress_bytes, stopped});
}

TEST(RentalStopped, GoesOnAtItsStoppedRateWithItsDisk) {
  CoreWorld w;
  w.Deposit("alice", 100);
  Bill(w, "a100", Kept());
  w.AddNode("box", "a100", 2);
  CloseBy(w, RentalOf(w, "box").id, 0);
  const Reply opened = w.Do(OpenRental{w.Admin(), {}, "box", "i-1", 100, {}});
  RunFor(w, "alice", Duration::Minutes(60));
  const Reply stopped = CloseBy(w, RentalId(opened.first), 0, true);
  EXPECT_EQ(stopped.reason, Reason::kOk) << stopped.detail;
  const RentalRow kept = RentalOf(w, "box");
  EXPECT_EQ(stopped.note,
            fmt::format("rental {} goes on for the stopped machine", kept.id.value()));
  EXPECT_TRUE(kept.stopped);
  EXPECT_EQ(kept.opened_at, w.now);
  EXPECT_EQ(kept.instance, "i-1");
  EXPECT_EQ(kept.disk_gb, 100);
  EXPECT_EQ(PaidLeft(w.state(), w.Node("box")), Duration()) << "nothing runs on it";
  const Money idle = Side(w, AccountKind::kIdle);
  w.Advance(Duration::Minutes(90));
  w.Do(Remove(w, "box"));
  const RentalRow over = w.store().tables().rentals.at(kept.id);
  EXPECT_EQ(over.closed_at, w.now);
  // Two hours, in whole hours and without the minimum, of two units at 0.60: 2.40.
  EXPECT_EQ(over.billed, Cents(240));
  EXPECT_EQ(over.idle, Cents(180));
  EXPECT_EQ(over.rounding, Cents(60));
  EXPECT_EQ(over.disk, Cents(150));
  EXPECT_EQ(over.variance, Money());
  EXPECT_EQ(Side(w, AccountKind::kIdle), idle + Cents(180));
}

TEST(RentalStopped, EndsWhereTheMachineServesAgain) {
  CoreWorld w;
  Bill(w, "a100", Kept());
  w.AddNode("box", "a100", 1);
  const RentalId first = RentalOf(w, "box").id;
  w.Advance(Duration::Hours(1));
  w.Do(NodeSilent{w.Node("box"), {}});
  EXPECT_EQ(CloseBy(w, first, 0, true).reason, Reason::kOk);
  w.Advance(Duration::Hours(5));
  w.Report("box");
  const RentalRow again = RentalOf(w, "box");
  EXPECT_FALSE(again.stopped);
  EXPECT_EQ(again.opened_at, w.now);
  EXPECT_EQ(again.rule.rate, Rate::MicrosPerUnitHour(12'000'000));
  EXPECT_EQ(w.store().tables().rentals.size(), 3u);
  EXPECT_EQ(Side(w, AccountKind::kIdle), Money::Whole(12) + Cents(300));
}

TEST(RentalStopped, IsTakenByHandToo) {
  CoreWorld w;
  Bill(w, "a100", Kept());
  w.AddNode("box", "a100", 1);
  CloseBy(w, RentalOf(w, "box").id, 0, true);
  w.Advance(Duration::Hours(2));
  const OpenRental early{w.Admin(), {}, "box", "", 0, w.now - Duration::Hours(3)};
  EXPECT_EQ(w.Do(early).reason, Reason::kConflict) << "it was on until later";
  const OpenRental open{w.Admin(), {}, "box", "", 0, w.now - Duration::Hours(1)};
  EXPECT_EQ(w.Do(open).reason, Reason::kOk);
  EXPECT_EQ(Side(w, AccountKind::kIdle), Cents(60)) << "one hour stopped";
}

TEST(RentalStopped, PostsItsMonthsAndTakesNoWork) {
  CoreWorld w(At(2026, 9, 30, 22));
  w.Deposit("alice", 100);
  Bill(w, "a100", Kept());
  w.AddNode("box", "a100", 1);
  CloseBy(w, RentalOf(w, "box").id, 0, true);
  w.AdvanceTo(At(2026, 10, 1, 0, 1));
  const RentalRow kept = RentalOf(w, "box");
  EXPECT_EQ(kept.posted_at, At(2026, 10, 1));
  EXPECT_EQ(kept.idle, Cents(120));
  RunFor(w, "alice", Duration::Minutes(30));  // somebody has left its agent on
  for (const TransferRow& charge : w.Transfers(TransferKind::kCharge)) EXPECT_FALSE(charge.rental);
}

TEST(RentalStopped, IsRefusedWhereNothingIsKeptOrWorkRuns) {
  CoreWorld w;
  w.Deposit("alice", 100);
  Bill(w, "a100", Hourly());
  w.AddNode("plain", "a100", 1);
  const auto says = [](const Reply& reply, Reason reason, std::string_view text) {
    EXPECT_EQ(reply.reason, reason) << reply.detail;
    EXPECT_NE(reply.detail.find(text), std::string::npos) << reply.detail;
  };
  says(CloseBy(w, RentalOf(w, "plain").id, 0, true), Reason::kBadRequest,
       "neither a stopped rate nor a disk");
  w.Do(Remove(w, "plain"));
  w.Advance(Duration::Minutes(1));  // a second rule holds from the next instant on
  Bill(w, "a100", Kept());
  w.AddNode("box", "a100", 1);
  const RentalId id = RentalOf(w, "box").id;
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  says(CloseBy(w, id, 0, true), Reason::kConflict, "work runs on rental");
  w.Advance(Duration::Minutes(1));
  w.Exit(job, 0);
  EXPECT_EQ(CloseBy(w, id, 0, true).reason, Reason::kOk);
  says(CloseBy(w, RentalOf(w, "box").id, 0, true), Reason::kBadRequest, "stopped machine already");
  says(CloseBy(w, id, 0, true), Reason::kConflict, "closed already");
}

TEST(RentalEgress, IsBookedByBytesAtTheCloseOrLater) {
  CoreWorld w;
  Bill(w, "a100", Kept());
  w.AddNode("box", "a100", 1);
  w.AddNode("other", "a100", 1);
  const RentalId id = RentalOf(w, "box").id;
  EXPECT_EQ(CloseBy(w, id, 12'500'000'000).reason, Reason::kOk);
  EXPECT_EQ(Side(w, AccountKind::kEgress), Money::Whole(10)) << "12.5 GB at 0.80";
  EXPECT_EQ(CloseBy(w, id, 1).reason, Reason::kConflict) << "once";
  const RentalId other = RentalOf(w, "other").id;
  w.Advance(Duration::Minutes(3));
  w.Do(Remove(w, "other"));
  const Reply late = CloseBy(w, other, 1'234'567);
  EXPECT_EQ(late.reason, Reason::kOk) << late.detail;
  EXPECT_EQ(w.store().tables().rentals.at(other).egress, Money::Micros(988));
  EXPECT_EQ(Side(w, AccountKind::kEgress), Money::Micros(10'000'988));
  EXPECT_EQ(w.Transfers(TransferKind::kRental).back().reason, "data that left the machine");
  EXPECT_NE(CloseBy(w, other, 0).note.find("closed already"), std::string::npos);
}

TEST(RentalEgress, IsRefusedWhereTheRuleBillsNoneOrTheBytesAreMad) {
  CoreWorld w;
  Bill(w, "a100", Hourly());
  w.AddNode("plain", "a100", 1);
  EXPECT_EQ(CloseBy(w, RentalOf(w, "plain").id, 5).reason, Reason::kBadRequest);
  EXPECT_FALSE(RentalOf(w, "plain").closed_at) << "a refusal leaves nothing behind";
  w.Do(Remove(w, "plain"));
  w.Advance(Duration::Minutes(1));
  Bill(w, "a100", Kept());
  w.AddNode("box", "a100", 1);
  for (const int64_t bytes : {int64_t{-1}, int64_t{1'000'000'000'000'001}})
    EXPECT_EQ(CloseBy(w, RentalOf(w, "box").id, bytes).reason, Reason::kBadRequest);
}

}  // namespace
}  // namespace pinka::test
