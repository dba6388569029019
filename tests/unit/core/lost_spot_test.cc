#include "scheduler/core/lost_spot.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

// Two spot machines and one on demand, of one unit each; two lost machines are enough.
struct Lab {
  explicit Lab(int32_t on_demand_after = 2) {
    w.Deposit("lab", 100'000);
    LabChange change;
    LabChange::Tier& tier = change.tiers.emplace_back();
    tier.row = w.state().tiers.Get(w.Tier("a100"));
    tier.row.on_demand_after = on_demand_after;
    for (const auto& [source, yuan] : {std::pair(Source::kOnDemand, 12), {Source::kSpot, 4}}) {
      RateRow& rate = tier.rates.emplace_back();
      rate.source = source;
      rate.rate = Rate::MicrosPerUnitHour(yuan * 1'000'000);
    }
    w.Apply(change);
    w.AddNode("spot-1", "a100", 1, Source::kSpot);
    w.AddNode("spot-2", "a100", 1, Source::kSpot);
    w.AddNode("sure", "a100", 1, Source::kOnDemand);
  }
  Source Start(JobId job) {
    w.Run(job);
    return w.AttemptOf(job).source;
  }
  CoreWorld w;
};

TEST(LostSpot, SendsATaskOnDemandAfterAsManyAsItsTierSays) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(2)));
  EXPECT_EQ(lab.Start(job), Source::kSpot);
  lab.w.End(job, EndReason::kSpotReclaim);
  EXPECT_EQ(lab.Start(job), Source::kSpot) << "one is not enough";
  lab.w.End(job, EndReason::kNodeLost);
  EXPECT_EQ(lab.Start(job), Source::kOnDemand) << "one that vanished counts as well";
}

TEST(LostSpot, CountsWhatTookTheMachineAlone) {
  Lab lab(1);
  JobRequest again = lab.w.Job("a100", Duration::Hours(2));
  again.retries = 3;
  const JobId job = lab.w.Submit("alice", again);
  EXPECT_EQ(lab.Start(job), Source::kSpot);
  lab.w.Exit(job, 1);
  EXPECT_EQ(lab.Start(job), Source::kSpot) << "its own failure";
}

TEST(LostSpot, ChangesNothingForWhoAsksForSpotOrInTiersThatSayNothing) {
  Lab lab(1);
  JobRequest wants = lab.w.Job("a100", Duration::Hours(2));
  wants.source = Wish::kSpot;
  const JobId job = lab.w.Submit("alice", wants);
  EXPECT_EQ(lab.Start(job), Source::kSpot);
  lab.w.End(job, EndReason::kSpotReclaim);
  EXPECT_EQ(lab.Start(job), Source::kSpot);

  Lab never(0);
  const JobId other = never.w.Submit("alice", never.w.Job("a100", Duration::Hours(2)));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(never.Start(other), Source::kSpot);
    never.w.End(other, EndReason::kSpotReclaim);
  }
}

TEST(LostSpot, IsOfEachTaskAlone) {
  Lab lab(1);
  JobRequest array = lab.w.Job("a100", Duration::Hours(2));
  array.array = "0-1%1";
  const JobId job = lab.w.Submit("alice", array);
  EXPECT_EQ(lab.Start(job), Source::kSpot);
  lab.w.End(job, EndReason::kSpotReclaim);
  EXPECT_TRUE(HasLeftSpot(lab.w.state(), lab.w.JobOf(job), 0));
  EXPECT_FALSE(HasLeftSpot(lab.w.state(), lab.w.JobOf(job), 1));
}

}  // namespace
}  // namespace pinka::test
