// package close: close_package.cc.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(ClosePackage, LapsesWhatIsLeftInTheNameOfWhoClosedIt) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  const PackageId id = w.Buy(w.Package("a100", 10, Money::Whole(10), {{"alice", 1}, {"bob", 1}}));
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  w.Run(job);
  w.Advance(Duration::Hours(1));
  ClosePackage close{w.Admin(), {"stop", "hash"}, id, "the provider is gone"};
  const Reply busy = w.Do(close);
  EXPECT_EQ(busy.reason, Reason::kConflict);
  EXPECT_NE(busy.detail.find("1 attempt(s) run on package"), std::string::npos);
  w.Exit(job, 0);
  const Reply done = w.Do(close);
  EXPECT_EQ(done.reason, Reason::kOk) << done.detail;
  EXPECT_EQ(done.count, 4) << "hours and cost of two portions";
  EXPECT_EQ(w.PackageOf(id).closed_at, w.now);
  EXPECT_EQ(w.Portion(id, "alice").lapsed, Money::Whole(4));
  EXPECT_EQ(w.Portion(id, "bob").lapsed, Money::Whole(5));
  EXPECT_EQ(w.Balance(AccountKind::kInventory, "lab"), Money());
  for (const TransferRow& row : w.Transfers(TransferKind::kLapse)) {
    EXPECT_EQ(row.person, w.Member("admin"));
    EXPECT_EQ(row.reason, "the provider is gone");
    EXPECT_EQ(row.request_id, "stop");
  }
  EXPECT_TRUE(w.Do(close).repeated);
  close.request = {"again", "hash"};
  EXPECT_EQ(w.Do(close).reason, Reason::kNoSuchAccount);
}

TEST(ClosePackage, EndsOneThatHasNotBegun) {
  CoreWorld w;
  BuyPackage buy = w.Package("a100", 10, Money::Whole(10), {{"alice", 1}});
  buy.starts_at = w.now + Duration::Days(3);
  const PackageId id = w.Buy(buy);
  EXPECT_EQ(w.Do(ClosePackage{w.Admin(), {}, id, "cancelled"}).reason, Reason::kOk);
  EXPECT_EQ(w.Portion(id, "alice").lapsed, Money::Whole(10));
  w.Advance(Duration::Days(40));
  EXPECT_EQ(w.Transfers(TransferKind::kLapse).size(), 2u) << "once is enough";
}

TEST(ClosePackage, RefusesInOrder) {
  CoreWorld w;
  const PackageId id = w.Buy(w.Package("a100", 10, Money::Whole(10), {{"alice", 1}}));
  EXPECT_EQ(w.Do(ClosePackage{w.By("alice"), {}, id, "mine"}).reason, Reason::kNotPermitted);
  EXPECT_EQ(w.Do(ClosePackage{w.Admin(), {}, PackageId(999), "x"}).reason, Reason::kNoSuchAccount);
  EXPECT_EQ(w.Do(ClosePackage{w.Admin(), {}, id, ""}).reason, Reason::kBadRequest);
  EXPECT_FALSE(w.PackageOf(id).closed_at);
  EXPECT_TRUE(w.Transfers(TransferKind::kLapse).empty());
}

}  // namespace
}  // namespace pinka::test
