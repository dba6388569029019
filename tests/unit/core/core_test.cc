// core.cc: the whole machine from outside.
#include "scheduler/core/core.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Life, OfAJobIsQueuedOrderedRunSettledAndForgotten) {
  CoreWorld w;
  const LotId lot = w.Deposit("lab", 100);
  w.AddNode("box", "a100", 2);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  EXPECT_EQ(w.StateOf(job), TaskState::kStarting);
  w.Begin(job);
  w.Run(job);
  EXPECT_EQ(w.StateOf(job), TaskState::kRunning);
  w.Advance(Duration::Minutes(45));
  w.Exit(job, 0);
  EXPECT_EQ(w.StateOf(job), TaskState::kCompleted);
  EXPECT_EQ(w.Lot(lot).posted, Money::Whole(9));
  EXPECT_EQ(w.Lot(lot).held, Money());
  w.Report("box");
  EXPECT_TRUE(w.AttemptOf(job).forgotten);
  w.Advance(Duration::Minutes(10));
  EXPECT_EQ(w.state().jobs.Find(job), nullptr);
  EXPECT_TRUE(w.state().attempts.rows().empty());
}

TEST(Core, NeverLetsTimeGoBack) {
  CoreWorld w;
  const Timestamp now = w.core().now();
  w.now = now - Duration::Hours(1);
  w.Do(Tick{});
  EXPECT_EQ(w.core().now(), now);
}

TEST(Core, PublishesOrdersWithAllThatAnAgentNeeds) {
  CoreWorld w;
  w.Deposit("lab", 100);
  w.AddNode("box", "a100", 2);
  JobRequest request = w.Job("a100", Duration::Hours(1), 2);
  request.array = "5";
  const JobId job = w.Submit("alice", request);
  const NodeOrders& orders = w.Agent("box").orders;
  ASSERT_EQ(orders.orders.size(), 1u);
  const NodeOrders::Order& order = orders.orders[0];
  EXPECT_EQ(order.attempt.id, (AttemptId{job, 5, 1}));
  EXPECT_EQ(order.user, "alice");
  EXPECT_EQ(order.tier, "a100");
  EXPECT_EQ(order.payload, request.payload.hash);
  EXPECT_EQ(order.gpu_uuids, (std::vector<std::string>{"box-gpu0", "box-gpu1"}));
  EXPECT_EQ(order.attempt.start_within, Duration::Minutes(31));
  EXPECT_EQ(order.array_size, 1);
  EXPECT_EQ(orders.version, w.state().nodes.Get(w.Node("box")).version);
  const auto all = w.core().AllOrders();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].orders.size(), 1u);
}

TEST(Core, StopsPlanningWhereTheBatchIsFullAndGoesOnInTheNext) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  for (int n = 0; n < 8; ++n) w.Submit("alice", w.Job("a100"));
  Core core(w.store().Load());
  AgentReport report;
  report.node = "box";
  AddNode add;
  add.actor = w.Admin();
  add.node = "box";
  add.tier = w.Tier("a100");
  core.Apply(add, w.now);
  report.facts.tier = add.tier;
  for (int32_t i = 0; i < 8; ++i) report.facts.gpus.push_back({i, std::to_string(i), "", 0});
  core.Apply(report, w.now);
  int batches = 1;
  while (core.Schedule(10)) {
    core.TakeChanges();
    ++batches;
  }
  EXPECT_GT(batches, 3);
  EXPECT_EQ(core.state().attempts.rows().size(), 8u);
}

}  // namespace
}  // namespace pinka::test
