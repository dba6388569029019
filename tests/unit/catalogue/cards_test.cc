#include "catalogue/cards.h"

#include <gtest/gtest.h>

#include <set>

namespace pinka {
namespace {

std::set<std::string> NamesFor(const char* claim) {
  std::set<std::string> names;
  for (const Card* card : CardsFor(claim)) names.emplace(card->name);
  return names;
}

TEST(Catalogue, ListsAllThatAClaimCanMean) {
  using Names = std::set<std::string>;
  EXPECT_EQ(NamesFor("a100-80"), (Names{"A100 PCIe 80GB", "A100 SXM4 80GB"}));
  EXPECT_EQ(NamesFor("a100"),
            (Names{"A100 PCIe 40GB", "A100 SXM4 40GB", "A100 PCIe 80GB", "A100 SXM4 80GB"}));
  EXPECT_EQ(NamesFor("h100"), (Names{"H100 PCIe", "H100 SXM5", "H100 NVL"}));
  EXPECT_EQ(NamesFor("h20"), (Names{"H20"}));
  EXPECT_EQ(NamesFor("h200"), (Names{"H200 SXM"}));
  EXPECT_EQ(NamesFor("a10"), (Names{"A10"}));
  EXPECT_EQ(NamesFor("l40"), (Names{"L40"}));
  EXPECT_EQ(NamesFor("rtx4090"), (Names{"RTX 4090"}));
  EXPECT_EQ(NamesFor("cpu"), (Names{}));
  EXPECT_EQ(NamesFor(""), (Names{}));
}

TEST(Catalogue, KnowsReportedNamesExactly) {
  EXPECT_EQ(CardReportedAs("A100-SXM4-40GB")->name, "A100 SXM4 40GB");
  EXPECT_EQ(CardReportedAs("NVIDIA A100-SXM4-40GB")->name, "A100 SXM4 40GB");
  EXPECT_EQ(CardReportedAs("Tesla T4")->name, "T4");
  EXPECT_EQ(CardReportedAs("NVIDIA GeForce RTX 4090 D")->name, "RTX 4090 D");
  for (const char* none : {"", "NVIDIA ", "A100", "NVIDIA A100", "nvidia a10", "NVIDIA A10 ",
                           "GRID T4-4C", "Tesla V100-SXM2...", "NVIDIA H100"})
    EXPECT_EQ(CardReportedAs(none), nullptr) << none;
}

TEST(Catalogue, NamesTiersThatFindTheirCard) {
  for (const Card& card : Cards()) {
    const std::string tier = TierNameOf(card);
    std::set<const Card*> meant;
    for (const Card* one : CardsFor(tier)) meant.insert(one);
    EXPECT_TRUE(meant.contains(&card)) << tier << " for " << card.name;
  }
  EXPECT_EQ(TierNameOf(*FindCard("NVIDIA A100-SXM4-80GB")), "a100-80");
  EXPECT_EQ(TierNameOf(*FindCard("NVIDIA GeForce RTX 4090 D")), "rtx4090d");
  EXPECT_EQ(TierNameOf(*FindCard("Tesla T4")), "t4");
  EXPECT_EQ(TierNameOf(*FindCard("NVIDIA H20")), "h20");
}

TEST(Catalogue, KnowsWhatEachCardShows) {
  for (const Card& card : Cards()) {
    for (const int mib : card.shown_mib) {
      if (mib == 0) continue;
      EXPECT_GT(mib, card.memory_gib * 1024 * 0.9) << card.name;
      EXPECT_LT(mib, card.memory_gib * 1024 * 1.01) << card.name;
    }
  }
}

}  // namespace
}  // namespace pinka
