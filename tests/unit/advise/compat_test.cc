#include "advise/compat.h"

#include <gtest/gtest.h>

#include <set>

namespace pinka::advise {
namespace {

Compatibility Of(const char* card, const char* driver) {
  return Compatible(*FindCard(card), *ParseVersion(driver));
}

std::set<std::string> WheelsThatRun(const Compatibility& c) {
  std::set<std::string> wheels;
  for (const Wheel& w : c.wheels) {
    if (w.runs) wheels.insert(w.wheel);
  }
  return wheels;
}

bool Noted(const Compatibility& c, const std::string& words) {
  for (const std::string& note : c.notes) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(Compat, PascalRunsTheNewestTorchOnlyWithTheOldestCuda) {
  for (const char* card : {"p100", "p40"}) {
    const Compatibility c = Of(card, "550.54");
    ASSERT_TRUE(c.newest.has_value());
    EXPECT_EQ(c.newest->torch, "2.14");
    EXPECT_EQ(c.newest->wheel, "cu126");
    const std::set<std::string> runs = WheelsThatRun(c);
    EXPECT_FALSE(runs.contains("cu128"));
    EXPECT_FALSE(runs.contains("cu130"));
  }
}

TEST(Compat, VoltaRunsCuda12AndNever13) {
  const std::set<std::string> runs = WheelsThatRun(Of("v100-32", "535.54.03"));
  EXPECT_TRUE(runs.contains("cu126"));
  EXPECT_TRUE(runs.contains("cu128"));
  EXPECT_FALSE(runs.contains("cu130"));
}

TEST(Compat, BlackwellNeedsANewWheelAndANewDriver) {
  const Compatibility c = Of("rtx5090", "570.124.06");
  const std::set<std::string> runs = WheelsThatRun(c);
  EXPECT_TRUE(runs.contains("cu128"));
  EXPECT_FALSE(runs.contains("cu126"));
  for (const Wheel& w : c.wheels) {
    if (w.wheel != "cu126") continue;
    EXPECT_NE(w.why.find("no kernel image"), std::string::npos);
  }
  EXPECT_FALSE(Of("rtx5090", "550.54.14").newest.has_value());
  EXPECT_TRUE(Noted(Of("rtx5090", "550.54.14"), "does not know this card"));
}

TEST(Compat, AnOldDriverKeepsAmpereOnCuda11) {
  const std::set<std::string> of_3090 = WheelsThatRun(Of("rtx3090", "515.43.04"));
  EXPECT_EQ(of_3090, (std::set<std::string>{"cu113", "cu116", "cu117", "cu118"}));
  const Compatibility a100 = Of("a100-80", "470.42.01");
  EXPECT_EQ(a100.newest->torch, "2.7");
  EXPECT_EQ(a100.newest->wheel, "cu118");
  const Compatibility ada = Of("rtx4090", "515.43.04");
  EXPECT_FALSE(ada.newest.has_value());
  EXPECT_TRUE(Noted(ada, "520.61.05"));
}

TEST(Compat, TuringRunsFromCuda11To13) {
  const std::set<std::string> runs = WheelsThatRun(Of("t4", "580.65.06"));
  for (const char* wheel : {"cu118", "cu126", "cu128", "cu130", "cu132"})
    EXPECT_TRUE(runs.contains(wheel)) << wheel;
}

TEST(Compat, SaysWhatACardWillNeverDo) {
  EXPECT_TRUE(Noted(Compatible(*FindCard("m60"), {}), "no tensor cores"));
  EXPECT_TRUE(Noted(Compatible(*FindCard("m60"), {}), "CUDA 12.9 is the last"));
  for (const char* card : {"v100-32", "t4", "rtx2080ti", "p100"})
    EXPECT_TRUE(Noted(Compatible(*FindCard(card), {}), "no native bf16")) << card;
  EXPECT_FALSE(Noted(Compatible(*FindCard("a100-80"), {}), "no native bf16"));
  EXPECT_NE(WhatCudaForbids({10, 2}).find("PyTorch 1.8"), std::string::npos);
  EXPECT_EQ(WhatCudaForbids({11, 0}), "");
}

TEST(Compat, ReadsVersions) {
  EXPECT_EQ(*ParseVersion("550.54.15"), (Version{550, 54, 15}));
  EXPECT_EQ(*ParseVersion("12.4"), (Version{12, 4}));
  EXPECT_EQ(*ParseVersion("550"), (Version{550}));
  for (const char* bad : {"", "a.b", "1.2.3.4", "1..2", "-1", "12.4 "})
    EXPECT_FALSE(ParseVersion(bad).ok()) << bad;
  EXPECT_EQ(*DriverFor("12.6", true), (Version{525, 60, 13}));
  EXPECT_EQ(*DriverFor("12.6", false), (Version{560, 28, 3}));
}

}  // namespace
}  // namespace pinka::advise
