#include "advise/choice.h"

#include <gtest/gtest.h>

namespace pinka::advise {
namespace {

Offer At(const char* card, int64_t yuan) {
  return {FindCard(card), card, Rate::MicrosPerUnitHour(yuan * 1'000'000)};
}

Wish For(const char* network, int batch, Precision precision) {
  Wish wish;
  wish.work.network = *FindNetwork(network);
  wish.work.batch = batch;
  wish.work.precision = precision;
  wish.reference = FindCard("rtx3090");
  wish.on_reference = Duration::Hours(4);
  return wish;
}

TEST(RankCards, PutsWhatHoldsItFirstAndThenTheCheaper) {
  const Offer offers[] = {At("t4", 1), At("rtx3090", 4), At("a100-80", 18)};
  const auto small = RankCards(For("resnet-18", 32, Precision::kAmp), offers);
  EXPECT_EQ(small[0].offer.tier, "t4");
  const auto large = RankCards(For("vit-b/16", 85, Precision::kFp32), offers);
  EXPECT_EQ(large[0].offer.tier, "rtx3090");
  EXPECT_EQ(large.back().offer.tier, "t4");
  EXPECT_EQ(large.back().fit, Fit::kNo);
  EXPECT_NE(large.back().why.find("usable"), std::string::npos);
}

TEST(RankCards, ADeadlineBuysAFasterCardAndABudgetASlower) {
  const Offer offers[] = {At("t4", 1), At("a100-80", 18)};
  Wish wish = For("resnet-18", 32, Precision::kAmp);
  wish.deadline = Duration::Hours(3);
  EXPECT_EQ(RankCards(wish, offers)[0].offer.tier, "a100-80");
  wish.deadline = Duration();
  wish.budget = Money::Whole(15);
  const auto ranked = RankCards(wish, offers);
  EXPECT_EQ(ranked[0].offer.tier, "t4");
  EXPECT_FALSE(ranked[1].in_budget);
}

TEST(RankCards, TimesGoByTheReference) {
  const Offer offers[] = {At("rtx3090", 4)};
  const Choice c = RankCards(For("resnet-50", 64, Precision::kAmp), offers)[0];
  EXPECT_DOUBLE_EQ(c.speed, 1);
  EXPECT_EQ(c.time, Duration::Hours(4));
  EXPECT_EQ(c.cost, Money::Whole(16));
}

TEST(SpeedOf, ConvolutionLeansOnCoresAndAttentionOnMemory) {
  Work convolution;
  convolution.network = *FindNetwork("resnet-50");
  Work attention;
  attention.network = *FindNetwork("bert-large");
  const Card& cores = *FindCard("rtx4090");   // more TFLOPS
  const Card& memory = *FindCard("a100-80");  // more GB/s
  const double for_convolution = SpeedOf(cores, convolution) / SpeedOf(memory, convolution);
  const double for_attention = SpeedOf(cores, attention) / SpeedOf(memory, attention);
  EXPECT_GT(for_convolution, for_attention);
}

}  // namespace
}  // namespace pinka::advise
