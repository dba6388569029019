// Which source pays: sources.cc.
#include "scheduler/core/sources.h"

#include <gtest/gtest.h>

#include "scheduler/core/board.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kHour = 3'600'000;

JobRequest On(const CoreWorld& w, Wish wish, Duration time = Duration::Hours(1)) {
  JobRequest request = w.Job("a100", time);
  request.source = wish;
  return request;
}

TEST(Source, OfAnyIsAPackageFirstSoonestEndFirstThenMoney) {
  CoreWorld w;
  w.AddNode("box", "a100", 4);
  w.Deposit("alice", 100);
  BuyPackage buy = w.Package("a100", 1, Money::Whole(10), {{"alice", 1}});
  const PackageId late = w.Buy(buy);
  buy.ends_at = w.now + Duration::Days(2);
  const PackageId soon = w.Buy(buy);
  const JobId a = w.Submit("alice", On(w, Wish::kAny));
  const JobId b = w.Submit("alice", On(w, Wish::kAny));
  const JobId c = w.Submit("alice", On(w, Wish::kAny));
  EXPECT_EQ(w.HoldOf(a).asset, AssetOf(soon));
  EXPECT_EQ(w.HoldOf(b).asset, AssetOf(late));
  EXPECT_EQ(w.HoldOf(c).asset, kCurrency);
  EXPECT_EQ(w.AttemptOf(c).source, Source::kOnDemand);
}

TEST(Source, IsWhatWasAskedForAndNothingElse) {
  CoreWorld w;
  w.AddNode("box", "a100", 4);
  w.Deposit("alice", 100);
  w.Buy(w.Package("a100", 2, Money::Whole(20), {{"alice", 1}}));
  const JobId money = w.Submit("alice", On(w, Wish::kOnDemand));
  EXPECT_EQ(w.AttemptOf(money).source, Source::kOnDemand);
  const JobId hours = w.Submit("alice", On(w, Wish::kPackage, Duration::Hours(2)));
  EXPECT_EQ(w.AttemptOf(hours).source, Source::kPackage);
  const JobId waits = w.Submit("alice", On(w, Wish::kPackage, Duration::Hours(2)));
  EXPECT_EQ(w.WhyWaits(waits), Reason::kPackagePortion);
  const std::string text = Explain(w.state(), waits).text;
  EXPECT_NE(text.find("needs 2.00 unit-hours of package"), std::string::npos) << text;
  EXPECT_NE(text.find("0.00 unit-hours within reach of alice: 2.00 unit-hours short"),
            std::string::npos)
      << text;
  w.Run(hours);
  w.Advance(Duration::Minutes(30));
  w.Exit(hours, 0);
  EXPECT_EQ(w.WhyWaits(waits), Reason::kPackagePortion) << "1.5 of 2 are left";
}

TEST(Source, WithoutNodesOrPackagesIsRefusedAndNamed) {
  CoreWorld w;
  w.Deposit("alice", 100);
  LabChange::Tier tier;
  tier.row = w.state().tiers.Get(w.Tier("a100"));
  RateRow rate;
  rate.source = Source::kSpot;
  rate.rate = Rate::MicrosPerUnitHour(4'000'000);
  tier.rates.push_back(rate);
  LabChange change;
  change.tiers.push_back(tier);
  w.Apply(change);
  w.Advance(Duration::Seconds(1));
  const Reply spot = w.TrySubmit("alice", On(w, Wish::kSpot));
  EXPECT_EQ(spot.reason, Reason::kNoRate) << "a price alone makes nothing cheaper";
  EXPECT_NE(spot.detail.find("no node of tier a100 is paid for as spot"), std::string::npos)
      << spot.detail;
  const Reply package = w.TrySubmit("alice", On(w, Wish::kPackage));
  EXPECT_EQ(package.reason, Reason::kPackagePortion);
  EXPECT_NE(package.detail.find("no package of tier a100 that alice has a part in"),
            std::string::npos)
      << package.detail;
}

TEST(Source, IsRefusedAtSubmitOnlyWhereNothingCouldEverCoverIt) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  w.Buy(w.Package("a100", 4, Money::Whole(40), {{"alice", 1}, {"bob", 1}}));
  w.Run(w.Submit("alice", On(w, Wish::kAny, Duration::Hours(2))));
  // The holds of others, and one's own, do not count.
  EXPECT_EQ(w.TrySubmit("alice", On(w, Wish::kAny, Duration::Hours(2))).reason, Reason::kOk);
  const Reply never = w.TrySubmit("alice", On(w, Wish::kAny, Duration::Hours(3)));
  EXPECT_EQ(never.reason, Reason::kBudget);
  EXPECT_NE(never.detail.find("; it needs 3.00 unit-hours of package"), std::string::npos)
      << never.detail;
  EXPECT_EQ(w.TrySubmit("alice", On(w, Wish::kPackage, Duration::Days(31))).reason,
            Reason::kTimeLimitAboveTier);
  EXPECT_EQ(w.TrySubmit("carol", On(w, Wish::kAny)).reason, Reason::kBudget) << "no part, no money";
}

TEST(Source, ThatIsYetToBeginMakesWorkWaitNotRefused) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  BuyPackage buy = w.Package("a100", 4, Money::Whole(40), {{"alice", 1}});
  buy.starts_at = w.now + Duration::Hours(5);
  w.Buy(buy);
  const JobId job = w.Submit("alice", On(w, Wish::kPackage));
  EXPECT_EQ(w.StateOf(job), TaskState::kPending);
  w.Advance(Duration::Hours(5));
  EXPECT_EQ(w.StateOf(job), TaskState::kStarting);
}

TEST(Source, OfALongerLimitMustCoverItAndLast) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  BuyPackage buy = w.Package("a100", 6, Money::Whole(60), {{"alice", 1}, {"bob", 1}});
  buy.ends_at = w.now + Duration::Hours(4);
  buy.borrow = BorrowRule::kLimit;
  buy.borrow_ms = kHour;
  const PackageId id = w.Buy(buy);
  const JobId job = w.Submit("alice", On(w, Wish::kPackage, Duration::Hours(2)));
  w.Run(job);
  EditJob edit;
  edit.actor = w.Admin();
  edit.job = job;
  edit.set_time = true;
  edit.time_limit = Duration::Hours(5);
  EXPECT_NE(w.Do(edit).detail.find("past the end of package"), std::string::npos);
  edit.time_limit = Duration::Minutes(241);
  EXPECT_NE(w.Do(edit).detail.find("past the end of package"), std::string::npos);
  edit.time_limit = Duration::Hours(4);
  EXPECT_EQ(w.Do(edit).reason, Reason::kOk);
  EXPECT_EQ(w.HoldOf(job).amount, Money::Micros(4 * kHour));
  EXPECT_EQ(w.Portion(id, "alice").borrowing_ms, kHour);
}

TEST(Source, OfALongerLimitThatIsNotThereIsRefusedWithTheHours) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  w.Buy(w.Package("a100", 3, Money::Whole(60), {{"alice", 1}}));
  const JobId job = w.Submit("alice", On(w, Wish::kPackage, Duration::Hours(2)));
  EditJob edit;
  edit.actor = w.Admin();
  edit.job = job;
  edit.set_time = true;
  edit.time_limit = Duration::Hours(5);
  const Reply reply = w.Do(edit);
  EXPECT_EQ(reply.reason, Reason::kPackagePortion);
  EXPECT_NE(reply.detail.find("needs 3.00 unit-hours more"), std::string::npos) << reply.detail;
  EXPECT_NE(reply.detail.find("2.00 unit-hours short"), std::string::npos) << reply.detail;
}

TEST(Source, IsNamedByTheQuote) {
  CoreWorld w;
  w.Deposit("alice", 100);
  QuoteAnswer quote = QuoteJob(w.state(), w.By("alice"), On(w, Wish::kAny));
  EXPECT_EQ(quote.price.source, Source::kOnDemand);
  EXPECT_EQ(quote.price.at_most, Money::Whole(12));
  w.Buy(w.Package("a100", 4, Money::Whole(20), {{"alice", 1}}));
  quote = QuoteJob(w.state(), w.By("alice"), On(w, Wish::kAny, Duration::Hours(2)));
  EXPECT_EQ(quote.price.source, Source::kPackage);
  EXPECT_EQ(quote.price.rate, Rate::MicrosPerUnitHour(5'000'000));
  EXPECT_EQ(quote.price.at_most, Money::Whole(10)) << "what the hours cost";
  EXPECT_EQ(quote.price.hours, Money::Micros(2 * kHour));
}

}  // namespace
}  // namespace pinka::test
