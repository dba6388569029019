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

// Prices of the a100 by source; on demand is 12.00.
void Price(CoreWorld& w, std::vector<std::pair<Source, int64_t>> yuan) {
  LabChange::Tier tier;
  tier.row = w.state().tiers.Get(w.Tier("a100"));
  for (const auto& [source, rate] : yuan) {
    RateRow row;
    row.source = source;
    row.rate = Rate::MicrosPerUnitHour(rate * 1'000'000);
    tier.rates.push_back(row);
  }
  LabChange change;
  change.tiers.push_back(tier);
  w.Apply(change);
}

TEST(Source, OfAnyGoesByCostToTheLabOverTheNodesThereAre) {
  CoreWorld w;
  w.Deposit("alice", 1'000);
  Price(w, {{Source::kOwned, 1}, {Source::kSpot, 4}, {Source::kTrial, 0}});
  w.AddNode("dear", "a100", 1);
  w.AddNode("free", "a100", 1, Source::kTrial);
  w.AddNode("cheap", "a100", 1, Source::kSpot);
  w.AddNode("ours", "a100", 1, Source::kOwned);
  w.AddNode("hours", "a100", 1, Source::kPackage);
  w.Buy(w.Package("a100", 1, Money::Whole(5), {{"alice", 1}}));
  const std::pair<Source, const char*> order[] = {{Source::kOwned, "ours"},
                                                  {Source::kPackage, "hours"},
                                                  {Source::kSpot, "cheap"},
                                                  {Source::kOnDemand, "dear"}};
  for (const auto& [source, node] : order) {
    const JobId job = w.Submit("alice", On(w, Wish::kAny));
    EXPECT_EQ(w.AttemptOf(job).source, source);
    EXPECT_EQ(w.AttemptOf(job).node, w.Node(node));
  }
  const JobId waits = w.Submit("alice", On(w, Wish::kAny));
  EXPECT_EQ(w.WhyWaits(waits), Reason::kResources) << "a trial is for who asks for it";
  const JobId trial = w.Submit("alice", On(w, Wish::kTrial));
  EXPECT_EQ(w.AttemptOf(trial).node, w.Node("free"));
  EXPECT_EQ(w.HoldOf(trial).amount, Money());
}

TEST(Source, IsNarrowedByWhoAsks) {
  CoreWorld w;
  w.Deposit("alice", 1'000);
  Price(w, {{Source::kSpot, 4}});
  w.AddNode("dear", "a100", 1);
  w.AddNode("cheap", "a100", 1, Source::kSpot);
  const JobId dear = w.Submit("alice", On(w, Wish::kOnDemand));
  EXPECT_EQ(w.AttemptOf(dear).node, w.Node("dear"));
  const JobId cheap = w.Submit("alice", On(w, Wish::kSpot));
  EXPECT_EQ(w.AttemptOf(cheap).node, w.Node("cheap"));
  EXPECT_EQ(w.HoldOf(cheap).amount, Money::Whole(4));
  const JobId waits = w.Submit("alice", On(w, Wish::kSpot));
  EXPECT_EQ(w.WhyWaits(waits), Reason::kResources);
  w.Run(dear);
  w.Exit(dear, 0);
  EXPECT_EQ(w.StateOf(waits), TaskState::kPending) << "the free machine is not a spot one";
  EXPECT_EQ(w.TrySubmit("alice", On(w, Wish::kOwned)).reason, Reason::kNoRate);
}

TEST(Source, ThatIsTooDearLeavesTheCheaperOnes) {
  CoreWorld w;
  w.Deposit("alice", 5);
  Price(w, {{Source::kSpot, 4}});
  w.AddNode("dear", "a100", 1);
  w.AddNode("cheap", "a100", 1, Source::kSpot);
  const JobId first = w.Submit("alice", On(w, Wish::kAny));
  EXPECT_EQ(w.AttemptOf(first).source, Source::kSpot);
  EXPECT_EQ(w.AttemptOf(first).fence, Duration::Minutes(15)) << "given up sooner than others";
  const JobId waits = w.Submit("alice", On(w, Wish::kAny));
  EXPECT_EQ(w.WhyWaits(waits), Reason::kBudget);
  EXPECT_EQ(w.TrySubmit("alice", On(w, Wish::kOnDemand)).reason, Reason::kBudget);
}

TEST(Source, OfAPackageRunsOnDemandsNodesWhereNoneWereBoughtWithIt) {
  CoreWorld w;
  w.AddNode("box", "a100", 1);
  w.Buy(w.Package("a100", 9, Money::Whole(45), {{"alice", 1}}));
  const JobId here = w.Submit("alice", On(w, Wish::kPackage));
  EXPECT_EQ(w.AttemptOf(here).node, w.Node("box"));
  EXPECT_EQ(w.AttemptOf(here).fence, Duration());
  EXPECT_EQ(w.AttemptOf(here).start_within, Duration::Minutes(31));
  w.Run(here);
  w.Exit(here, 0);
  w.AddNode("bought", "a100", 1, Source::kPackage);
  const JobId there = w.Submit("alice", On(w, Wish::kPackage));
  EXPECT_EQ(w.AttemptOf(there).node, w.Node("bought"));
  EXPECT_EQ(w.WhyWaits(w.Submit("alice", On(w, Wish::kPackage))), Reason::kResources);
}

TEST(Source, OfANodeIsItsTokens) {
  CoreWorld w;
  w.AddNode("box", "a100", 1, Source::kSpot);
  EXPECT_EQ(w.state().nodes.Get(w.Node("box")).source, Source::kSpot);
  w.Report("box");
  EXPECT_EQ(w.state().nodes.Get(w.Node("box")).source, Source::kSpot);
  AddNode add;
  add.actor = w.Admin();
  add.node = "box";
  add.tier = w.Tier("a100");
  add.key_hash = std::string(64, 'f');
  const Reply other = w.Do(add);
  EXPECT_EQ(other.reason, Reason::kConflict);
  EXPECT_NE(other.detail.find("paid for as spot"), std::string::npos) << other.detail;
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
  EXPECT_EQ(quote.price.min_block, Money()) << "nobody has said what a machine costs";
  LabChange::Tier tier;
  tier.row = w.state().tiers.Get(w.Tier("a100"));
  tier.billing.emplace_back().rule.rate = Rate::MicrosPerUnitHour(15'000'000);
  tier.billing.front().rule.block = Duration::Hours(1);
  LabChange change;
  change.tiers.push_back(tier);
  w.Apply(change);
  EXPECT_EQ(QuoteJob(w.state(), w.By("alice"), On(w, Wish::kOnDemand)).price.min_block,
            Money::Whole(15));
}

}  // namespace
}  // namespace pinka::test
