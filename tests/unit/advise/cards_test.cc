#include "advise/cards.h"

#include <gtest/gtest.h>

#include <set>

namespace pinka::advise {
namespace {

TEST(Cards, AreFoundByIdNameReportAndShortForm) {
  const struct {
    const char* asked;
    const char* name;
  } table[] = {{"t4", "T4"},
               {"Tesla T4", "T4"},
               {"rtx3090", "RTX 3090"},
               {"RTX 3090", "RTX 3090"},
               {"NVIDIA GeForce RTX 3090", "RTX 3090"},
               {"3090", "RTX 3090"},
               {"a100", "A100 PCIe 40GB"},
               {"a100-40", "A100 PCIe 40GB"},
               {"a100-80", "A100 PCIe 80GB"},
               {"A100 80GB", "A100 PCIe 80GB"},
               {"NVIDIA A100-SXM4-80GB", "A100 SXM4 80GB"},
               {"a100-sxm4-80g", "A100 SXM4 80GB"},
               {"v100-32", "V100 PCIe 32GB"},
               {"4090d", "RTX 4090 D"},
               {"h100", "H100 PCIe"},
               {"NVIDIA H100 80GB HBM3", "H100 SXM5"},
               {"A10G", "A10G"},
               {"l40s", "L40S"}};
  for (const auto& row : table) {
    const Card* card = FindCard(row.asked);
    ASSERT_NE(card, nullptr) << row.asked;
    EXPECT_EQ(card->name, row.name) << row.asked;
  }
  for (const char* none : {"", "rtx", "a", "gtx-9000", "x1080"})
    EXPECT_EQ(FindCard(none), nullptr) << none;
}

TEST(Cards, HaveIdsOfTheirOwnThatFindThem) {
  std::set<std::string> ids;
  for (const Card& card : Cards()) {
    EXPECT_TRUE(ids.insert(IdOf(card)).second) << IdOf(card);
    EXPECT_EQ(FindCard(IdOf(card)), &card) << IdOf(card);
    EXPECT_EQ(FindCard(card.name), &card) << card.name;
  }
}

TEST(Cards, KeepTheGuidesTable) {
  const struct {
    const char* card;
    double tflops, memory, low, high;
  } table[] = {{"t4", 8.1, 16, 1.2, 1.8},
               {"rtx3090", 35.6, 24, 3.5, 4.2},
               {"a100-40", 19.5, 40, 12, 15},
               {"a100-80", 19.5, 80, 18, 22}};
  for (const auto& row : table) {
    const Card* card = FindCard(row.card);
    EXPECT_NEAR(card->fp32_tflops, row.tflops, 0.05);
    EXPECT_EQ(card->memory_gib, row.memory);
    EXPECT_EQ(GuidePriceOf(*card)->low, row.low);
    EXPECT_EQ(GuidePriceOf(*card)->high, row.high);
  }
  EXPECT_EQ(GuidePriceOf(*FindCard("h100"))->low, 45);
  EXPECT_NEAR(FindCard("h100")->fp32_tflops, 51.8, 1);
  EXPECT_EQ(GuidePriceOf(*FindCard("l4")), nullptr);
}

TEST(Cards, SayWhatPeopleSawApartFromFacts) {
  bool seen = false;
  for (const Observation& o : Observations()) {
    ASSERT_NE(FindCard(o.card), nullptr);
    seen = seen || (o.card == "RTX 4090" && o.text.find("15 %") != std::string_view::npos);
  }
  EXPECT_TRUE(seen);
  EXPECT_GT(FindCard("rtx4090")->fp32_tflops, 2 * FindCard("rtx3090")->fp32_tflops);
}

}  // namespace
}  // namespace pinka::advise
