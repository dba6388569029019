// explain.cc, why.cc and board.cc: the plan's judgement in words.
#include <gtest/gtest.h>

#include "scheduler/core/board.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  Lab() {
    w.Deposit("lab", 1'000);
    w.AddNode("box", "a100", 1);
    runs = w.Submit("alice", w.Job("a100", Duration::Hours(3)));
    w.Run(runs);
    next = w.Submit("bob", w.Job("a100"));
    last = w.Submit("alice", w.Job("a100"));
  }
  CoreWorld w;
  JobId runs, next, last;
};

TEST(Why, OfWhatDoesNotWaitSaysSo) {
  Lab lab;
  EXPECT_EQ(Explain(lab.w.state(), JobId(99)).reason, Reason::kNoSuchJob);
  EXPECT_EQ(Explain(lab.w.state(), lab.runs).state, TaskState::kRunning);
  lab.w.Change("bob", JobVerb::kHold, lab.next);
  EXPECT_EQ(Explain(lab.w.state(), lab.next).reason, Reason::kHeldByUser);
}

TEST(Quote, NamesThePriceAndWhatWouldRefuseIt) {
  Lab lab;
  JobRequest request = lab.w.Job("a100", Duration::Hours(2));
  request.array = "0-9";
  const QuoteAnswer q = QuoteJob(lab.w.state(), lab.w.By("alice"), request);
  EXPECT_EQ(q.price.at_most, Money::Whole(24));
  EXPECT_EQ(q.tasks, 10);
  EXPECT_EQ(q.refusal, Reason::kOk);
  request.time_limit = Duration::Days(7);
  const QuoteAnswer dear = QuoteJob(lab.w.state(), lab.w.By("alice"), request);
  EXPECT_EQ(dear.refusal, Reason::kBudget);
  EXPECT_EQ(dear.price.at_most, Money::Whole(2'016));
  request.gpus = INT32_MAX;
  EXPECT_EQ(QuoteJob(lab.w.state(), lab.w.By("alice"), request).refusal, Reason::kTooWide);
  request.tier = TierId(99);
  EXPECT_EQ(QuoteJob(lab.w.state(), lab.w.By("alice"), request).refusal, Reason::kNoSuchTier);
}

TEST(Reach, IsTheLeastOfLotsAndLimits) {
  Lab lab;
  EXPECT_EQ(Reach(lab.w.state(), lab.w.Member("bob")).available, Money::Whole(964));
  lab.w.Limit(LimitResource::kMoney, 50'000'000, "bob", LimitOf::kEach, Period::kMonth);
  const ReachAnswer answer = Reach(lab.w.state(), lab.w.Member("bob"));
  EXPECT_EQ(answer.available, Money::Whole(50));
  EXPECT_EQ(answer.tightest, "limit of bob per month");
  EXPECT_EQ(LimitsOf(lab.w.state(), lab.w.Member("bob")).size(), 1u);
  EXPECT_TRUE(LimitsOf(lab.w.state(), lab.w.Member("carol")).empty());
}

TEST(Board, ShowsTiersNodesAndWhoWaits) {
  Lab lab;
  lab.w.Change("alice", JobVerb::kHold, lab.last);
  const auto board = MakeBoard(lab.w.state(), 7);
  EXPECT_EQ(board->batch, 7);
  EXPECT_EQ(board->waiting.at(lab.next.value()).position, 1);
  EXPECT_EQ(board->waiting.at(lab.next.value()).reason, Reason::kResources);
  EXPECT_EQ(board->waiting.at(lab.last.value()).reason, Reason::kHeldByUser);
  EXPECT_FALSE(board->waiting.contains(lab.runs.value()));
  const auto tier =
      std::ranges::find(board->tiers, "a100", [](const Board::Tier& t) { return t.row.name; });
  EXPECT_EQ(tier->units, 1);
  EXPECT_EQ(tier->free, 0);
  EXPECT_EQ(tier->running, 1);
  EXPECT_EQ(tier->pending, 2);
  ASSERT_EQ(board->nodes.size(), 1u);
  EXPECT_EQ(board->nodes[0].gpus_free, 0);
  EXPECT_EQ(board->member_names.at(lab.w.Member("王芳").value()), "王芳");
}

}  // namespace
}  // namespace pinka::test
