#include "scheduler/core/thresholds.h"

#include <gtest/gtest.h>

#include "scheduler/core/board.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kYuan = 1'000'000;

LabChange::Limit MoneyOf(int64_t yuan, const std::string& scope, LimitOf of, Period period) {
  LabChange::Limit limit;
  limit.row.resource = LimitResource::kMoney;
  limit.row.of = of;
  limit.row.period = period;
  limit.row.amount = yuan * kYuan;
  limit.scope = scope;
  return limit;
}

LimitId Put(CoreWorld& w, const LabChange::Limit& limit) {
  LabChange change;
  change.limits.push_back(limit);
  w.Apply(change);
  return w.state().limits.rows().rbegin()->first;
}

// "limit/30 crossed 50 %" of the whole history.
std::vector<std::string> Told(const CoreWorld& w) {
  std::vector<std::string> told;
  for (const EventRow& event : w.store().tables().events) {
    if (event.entity == "limit") told.push_back(event.id + " " + event.what);
  }
  return told;
}

TEST(Threshold, IsToldOnceAPeriodAndLimit) {
  CoreWorld w(At(2026, 9, 30, 20));
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  LabChange::Limit limit = MoneyOf(40, "alice", LimitOf::kEach, Period::kMonth);
  limit.row.notify_at = {50, 80, 100};
  const LimitId id = Put(w, limit);
  const std::string name = std::to_string(id.value());
  const JobId one = w.Submit("alice", w.Job("a100", Duration::Hours(1)));  // 12: 30 %
  EXPECT_TRUE(Told(w).empty());
  const JobId two = w.Submit("alice", w.Job("a100", Duration::Hours(2)));  // 36: 90 %
  EXPECT_EQ(Told(w), (std::vector<std::string>{name + " crossed 50 %", name + " crossed 80 %"}));
  w.Run(one);
  w.Run(two);
  w.Advance(Duration::Minutes(1));
  w.Exit(one, 0);
  w.Exit(two, 0);                                        // 0.40 used
  w.Submit("alice", w.Job("a100", Duration::Hours(3)));  // 36.40 again: told already
  EXPECT_EQ(Told(w).size(), 2u);
  EXPECT_EQ(CrossedOf(w.state(), w.state().limits.Get(id), w.Member("alice")),
            (std::vector<int32_t>{50, 80}));
  w.Reload();
  EXPECT_EQ(CrossedOf(w.state(), w.state().limits.Get(id), w.Member("alice")).size(), 2u);
  w.AdvanceTo(At(2026, 10, 1, 1));
  EXPECT_TRUE(CrossedOf(w.state(), w.state().limits.Get(id), w.Member("alice")).empty());
  w.Submit("alice", w.Job("a100", Duration::Minutes(5)));  // October holds 37
  EXPECT_EQ(Told(w).size(), 4u) << "a new month tells anew";
}

TEST(Threshold, OfAnEachLimitIsOfEveryMemberAlone) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  LabChange::Limit each = MoneyOf(24, "lab", LimitOf::kEach, Period::kNone);
  each.row.notify_at = {50};
  const LimitId id = Put(w, each);
  LabChange::Limit all = MoneyOf(240, "lab", LimitOf::kAll, Period::kNone);
  all.row.notify_at = {10};
  const LimitId sum = Put(w, all);
  w.Submit("alice", w.Job("a100"));
  w.Submit("bob", w.Job("a100"));
  const auto& rows = w.store().tables().thresholds;
  EXPECT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows.contains({id, w.Member("alice"), 50, Timestamp()}));
  EXPECT_TRUE(rows.contains({id, w.Member("bob"), 50, Timestamp()}));
  EXPECT_TRUE(rows.contains({sum, MemberId(), 10, Timestamp()}));
  EXPECT_TRUE(CrossedOf(w.state(), w.state().limits.Get(id), w.Member("carol")).empty());
}

TEST(Threshold, CountsWaitingTasksAtSubmit) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  LabChange::Limit limit;
  limit.row.resource = LimitResource::kQueuedTasks;
  limit.row.amount = 10;
  limit.row.notify_at = {60};
  Put(w, limit);
  JobRequest array = w.Job("a100");
  array.array = "1-5";
  w.Submit("alice", array);
  EXPECT_TRUE(Told(w).empty());
  w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(Told(w).size(), 1u);
}

TEST(BlockAt, LetsNothingNewStartFromItsPercentOn) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  LabChange::Limit limit = MoneyOf(40, "alice", LimitOf::kEach, Period::kNone);
  limit.row.block_at = 60;
  Put(w, limit);
  const JobId one = w.Submit("alice", w.Job("a100", Duration::Hours(2)));  // 24: 60 %
  EXPECT_EQ(w.StateOf(one), TaskState::kStarting);
  const JobId two = w.Submit("alice", w.Job("a100", Duration::Minutes(5)));
  EXPECT_EQ(w.StateOf(two), TaskState::kPending);
  const Explanation why = Explain(w.state(), two);
  EXPECT_EQ(why.reason, Reason::kBudget);
  EXPECT_NE(why.text.find("from 60 % on nothing new starts"), std::string::npos) << why.text;
  w.Run(one);
  w.Advance(Duration::Minutes(90));
  w.Exit(one, 0);  // 18: 45 %
  EXPECT_EQ(w.StateOf(two), TaskState::kStarting);
}

TEST(Thresholds, ThatCannotBeAreRefused) {
  CoreWorld w;
  struct Case {
    std::vector<int32_t> notify_at;
    int32_t block_at;
  };
  for (const Case& c : std::vector<Case>{
           {{80, 50}, 0}, {{0}, 0}, {{50, 50}, 0}, {{1001}, 0}, {{}, 101}, {{}, -1}}) {
    LabChange change;
    change.limits.push_back(MoneyOf(40, "alice", LimitOf::kEach, Period::kNone));
    change.limits[0].row.notify_at = c.notify_at;
    change.limits[0].row.block_at = c.block_at;
    EXPECT_EQ(w.Do(ApplyLab{w.Admin(), {}, change, false}).reason, Reason::kBadRequest);
  }
  EXPECT_TRUE(w.state().limits.rows().empty());
}

}  // namespace
}  // namespace pinka::test
