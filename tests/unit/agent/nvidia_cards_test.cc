#include "agent/nvidia_cards.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/agent/files.h"

namespace pinka::test {
namespace {

// As the driver writes it.
void AddCard(const TempDir& root, const std::string& bus, const std::string& uuid,
             const std::string& minor) {
  std::filesystem::create_directories(root.path() + "/" + bus);
  Spill(root.path() + "/" + bus + "/information",
        "Model: \t\t NVIDIA A100-SXM4-80GB\nIRQ:   \t\t 16\nGPU UUID: \t " + uuid +
            "\nVideo BIOS: \t 92.00.45.00.05\nBus Type: \t PCIe\nBus Location: \t " + bus +
            "\nDevice Minor: \t " + minor + "\nGPU Excluded:\t No\n");
}

TEST(NvidiaCards, AreInPciOrderWhateverTheirMinors) {
  TempDir root;
  AddCard(root, "0000:0a:00.0", "GPU-b", "0");
  AddCard(root, "0000:07:00.0", "GPU-a", "1");
  std::vector<NvidiaCard> cards = NvidiaCards(root.path());
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_EQ(cards[0].uuid, "GPU-a");
  EXPECT_EQ(cards[0].device, (DeviceNumber{.major = 195, .minor = 1}));
  EXPECT_EQ(cards[1].uuid, "GPU-b");
}

TEST(NvidiaCards, AreNoneWhereOneIsNotDescribed) {
  TempDir root;
  EXPECT_TRUE(NvidiaCards(root.path() + "/none").empty());
  AddCard(root, "0000:07:00.0", "GPU-a", "1");
  AddCard(root, "0000:0a:00.0", "GPU-b", "?");
  EXPECT_TRUE(NvidiaCards(root.path()).empty());
}

TEST(NvidiaCards, WhatIsNotAJobsOwnIsHidden) {
  TempDir root;
  AddCard(root, "0000:07:00.0", "GPU-a", "0");
  AddCard(root, "0000:0a:00.0", "GPU-b", "1");
  AddCard(root, "0000:0b:00.0", "GPU-c", "2");
  std::vector<NvidiaCard> cards = NvidiaCards(root.path());
  EXPECT_EQ(OthersCards(cards, {"GPU-b"}), (std::vector<DeviceNumber>{{195, 0}, {195, 2}}));
  EXPECT_EQ(OthersCards(cards, {}).size(), 3u);
  EXPECT_TRUE(OthersCards({}, {"GPU-b"}).empty());
}

}  // namespace
}  // namespace pinka::test
