#include "agent/hardware/standing.h"

#include <gtest/gtest.h>

namespace pinka::hardware {
namespace {

GpuFinding Card(const std::string& uuid, Verdict verdict = Verdict::kOk, bool passing = false) {
  GpuFinding gpu;
  gpu.reading.uuid = uuid;
  gpu.reading.name = "Tesla T4";
  gpu.verdict = verdict;
  gpu.why = "why " + uuid;
  gpu.passing = passing;
  return gpu;
}

Judgement Of(std::vector<GpuFinding> gpus) {
  Judgement judgement;
  judgement.gpus = std::move(gpus);
  judgement.why = "the reason";
  return judgement;
}

const Judgement kGood = Of({Card("a"), Card("b")});
const Judgement kDead = Of({});

TEST(Standing, TakesOneCheckForEnoughAtJoining) {
  Standing standing;
  EXPECT_EQ(standing.verdict(), Verdict::kUnusable);
  standing.Take(kGood, true);
  EXPECT_EQ(standing.verdict(), Verdict::kOk);
  EXPECT_EQ(standing.cards().size(), 2);
  EXPECT_FALSE(standing.LookAgainSoon());
}

TEST(Standing, IsOutAfterThreeFailuresAndBackAfterTwoGoodOnes) {
  Standing standing;
  standing.Take(kGood, true);
  for (int n = 0; n < 2; ++n) standing.Take(kDead, false);
  EXPECT_EQ(standing.verdict(), Verdict::kOk);
  EXPECT_TRUE(standing.LookAgainSoon());
  standing.Take(kDead, false);
  EXPECT_EQ(standing.verdict(), Verdict::kUnusable);
  EXPECT_EQ(standing.cards()[0].fault, "") << "the node's fault and no card's";
  standing.Take(kGood, false);
  EXPECT_EQ(standing.verdict(), Verdict::kUnusable);
  standing.Take(kGood, false);
  EXPECT_EQ(standing.verdict(), Verdict::kOk);
}

TEST(Standing, IsOutAtOnceForWrongHardware) {
  Standing standing;
  standing.Take(kGood, true);
  standing.Take(Of({Card("a"), Card("b", Verdict::kMismatch)}), false);
  EXPECT_EQ(standing.verdict(), Verdict::kMismatch);
  EXPECT_EQ(standing.why(), "the reason");
}

TEST(Standing, GivesHeatThreeChecks) {
  Standing standing;
  standing.Take(kGood, true);
  const Judgement hot = Of({Card("a"), Card("b", Verdict::kMismatch, true)});
  for (int n = 0; n < 2; ++n) standing.Take(hot, false);
  EXPECT_EQ(standing.verdict(), Verdict::kOk);
  standing.Take(hot, false);
  EXPECT_EQ(standing.verdict(), Verdict::kMismatch);
}

TEST(Standing, TakesASickOrMissingCardOutAlone) {
  Standing standing;
  standing.Take(Of({Card("a"), Card("b"), Card("c")}), true);
  const Judgement sick = Of({Card("a"), Card("b", Verdict::kUnusable)});
  standing.Take(sick, false);
  EXPECT_EQ(standing.cards()[1].fault, "") << "one failed poll";
  standing.Take(sick, false);
  EXPECT_EQ(standing.verdict(), Verdict::kOk);
  EXPECT_EQ(standing.cards()[0].fault, "");
  EXPECT_EQ(standing.cards()[1].fault, "why b");
  EXPECT_EQ(standing.cards()[2].fault, "it is not shown any more");
  for (int n = 0; n < 2; ++n) standing.Take(Of({Card("a"), Card("b"), Card("c")}), false);
  EXPECT_EQ(standing.cards()[1].fault, "");
  EXPECT_EQ(standing.cards()[2].fault, "");
}

TEST(Standing, OffersOnlyTheCardsItIsToldTo) {
  Standing standing({"b"});
  standing.Take(kGood, true);
  ASSERT_EQ(standing.cards().size(), 1);
  EXPECT_EQ(standing.cards()[0].uuid, "b");
}

}  // namespace
}  // namespace pinka::hardware
