// What minimums and blocks bind the lab to, against the lab's own limits (semantics.md 8).
#include "scheduler/core/bound.h"

#include <gtest/gtest.h>

#include "scheduler/core/limits.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kYuan = 1'000'000;

// A rule for a100 at 12.00 an hour, and one machine of it.
void Rent(CoreWorld& w, Duration minimum, Duration block, int32_t units = 1) {
  LabChange::Tier change;
  change.row = w.state().tiers.Get(w.Tier("a100"));
  BillingRow row;
  row.provider = "provider";
  row.rule.rate = Rate::MicrosPerUnitHour(12'000'000);
  row.rule.minimum = minimum;
  row.rule.block = block;
  change.billing.push_back(row);
  LabChange lab;
  lab.tiers.push_back(change);
  w.Apply(lab);
  w.AddNode("box", "a100", units);
}

int64_t Used(const CoreWorld& w, LimitId limit) {
  return UsedOf(w.state(), w.state().limits.Get(limit), w.Member("alice"));
}

TEST(Bound, IsTheRestOfTheBlockThatNoHoldCovers) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  Rent(w, Duration::Hours(1), Duration::Hours(1));
  const LimitId own = w.Limit(LimitResource::kMoney, 100 * kYuan, "lab", LimitOf::kAll);
  EXPECT_EQ(BoundOf(w.state(), {}).sum, Money::Whole(12)) << "the minimum is taken at once";
  w.Advance(Duration::Minutes(5));
  EXPECT_EQ(BoundOf(w.state(), {}).sum, Money::Whole(11));
  EXPECT_EQ(Used(w, own), 11 * kYuan);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Minutes(45)));  // holds 9.00
  w.Run(job);
  EXPECT_EQ(BoundOf(w.state(), {}).sum, Money::Whole(2));
  EXPECT_EQ(Used(w, own), 11 * kYuan) << "9.00 held, 2.00 of the block beside it";
  w.Advance(Duration::Minutes(30));
  w.Exit(job, 0);  // 6.00 posted, 25 minutes of the block are left
  EXPECT_EQ(Used(w, own), 11 * kYuan);
  w.Advance(Duration::Minutes(25));
  EXPECT_EQ(Used(w, own), 6 * kYuan) << "the block has run out";
  w.Advance(Duration::Seconds(1));
  EXPECT_GT(Used(w, own), 17 * kYuan) << "and the next one has begun";
}

TEST(Bound, CountsOnlyAgainstTheLabsOwnMoney) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  Rent(w, Duration::Hours(1), Duration::Hours(1));
  EXPECT_EQ(Used(w, w.Limit(LimitResource::kMoney, 100 * kYuan, "lab", LimitOf::kEach)), 0);
  EXPECT_EQ(Used(w, w.Limit(LimitResource::kMoney, 100 * kYuan, "alice", LimitOf::kAll)), 0);
  EXPECT_EQ(Used(w, w.Limit(LimitResource::kUnitHours, 100 * kYuan, "lab", LimitOf::kAll)), 0);
  const auto of_tier = [&](const std::string& tier) {
    return Used(
        w, w.Limit(LimitResource::kMoney, 100 * kYuan, "lab", LimitOf::kAll, Period::kMonth, tier));
  };
  EXPECT_EQ(of_tier("a100"), 12 * kYuan);
  EXPECT_EQ(of_tier("t4"), 0);
}

TEST(Bound, IsNothingBySecondAndTheRestOfAMinimum) {
  CoreWorld w;
  Rent(w, Duration::Minutes(1), Duration::Seconds(1));
  EXPECT_EQ(BoundOf(w.state(), {}).sum, Money::Micros(200'000));
  w.Advance(Duration::Seconds(45));
  EXPECT_EQ(BoundOf(w.state(), {}).sum, Money::Micros(50'000));
  w.Advance(Duration::Minutes(10) + Duration::Millis(300));
  EXPECT_EQ(BoundOf(w.state(), {}).machines, 0);
}

TEST(Bound, LeavesPaidMinutesToWhoUsesThem) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  Rent(w, Duration::Hours(1), Duration::Hours(1));
  w.Limit(LimitResource::kMoney, 12 * kYuan, "lab", LimitOf::kAll);
  const JobId within = w.Submit("alice", w.Job("a100", Duration::Hours(1)));
  EXPECT_EQ(w.StateOf(within), TaskState::kStarting) << "12.00, all of it paid for already";
}

TEST(Bound, KeepsMoreFromStartingAndSaysSo) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  Rent(w, Duration::Hours(1), Duration::Hours(1), 2);  // 24.00 are bound
  w.AddNode("cheap", "t4", 1);
  w.Limit(LimitResource::kMoney, 25 * kYuan, "lab", LimitOf::kAll);
  const JobId job = w.Submit("alice", w.Job("t4", Duration::Hours(2)));  // 4.00
  EXPECT_EQ(w.StateOf(job), TaskState::kPending);
  Ask ask{w.Member("alice"), {}, w.Tier("t4"), Money::Whole(4), 0, 1, 0};
  const auto crossed = CrossedLimit(w.state(), ask);
  ASSERT_TRUE(crossed);
  EXPECT_EQ(crossed->text,
            "needs ¥4.00, but the money limit of lab is ¥25.00 and leaves ¥1.00; ¥24.00 of it are "
            "bound by minimums and blocks of 1 machine that is on");
  w.Advance(Duration::Minutes(60));
  EXPECT_EQ(w.StateOf(job), TaskState::kStarting) << "when the hour has run out";
}

TEST(Bound, OfAMachineThatIsFullIsNoRoomForMore) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  Rent(w, Duration::Hours(1), Duration::Hours(1));
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Minutes(10)));
  w.Run(job);
  EXPECT_EQ(BoundOf(w.state(), {}, w.Tier("a100"), 1).most, Money());
  EXPECT_EQ(BoundOf(w.state(), {}, w.Tier("a100"), 1).sum, Money::Whole(10));
  w.Advance(Duration::Minutes(1));
  w.Exit(job, 0);
  EXPECT_GT(BoundOf(w.state(), {}, w.Tier("a100"), 1).most, Money::Whole(11));
  EXPECT_EQ(BoundOf(w.state(), {}, w.Tier("a100"), 2).most, Money()) << "it has one card";
}

}  // namespace
}  // namespace pinka::test
