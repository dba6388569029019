#include "client/cli/core/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;

TEST(ParseWorkload, ReadsAModelAndWhatSetsItsMemory) {
  const auto w = ParseWorkload("bert-large  batch=32 tokens=128 precision=amp flash chunked-loss");
  ASSERT_TRUE(w.ok()) << Message(w.status());
  EXPECT_EQ(w->network(), "bert-large");
  EXPECT_EQ(w->batch(), 32);
  EXPECT_EQ(w->tokens(), 128);
  EXPECT_EQ(w->precision(), "amp");
  EXPECT_TRUE(w->flash());
  EXPECT_TRUE(w->chunked_loss());
  EXPECT_FALSE(w->compiled());
  EXPECT_EQ(ParseWorkload("params=7B method=lora")->params_m(), 7'000);
}

TEST(ParseWorkload, RefusesWordsThatSayNothing) {
  EXPECT_THAT(Message(ParseWorkload("bert-large batch 32").status()), HasSubstr("'batch' says"));
  EXPECT_THAT(Message(ParseWorkload("bert-large colour=red").status()), HasSubstr("'colour=red'"));
  EXPECT_FALSE(ParseWorkload("bert-large batch=0").ok());
  EXPECT_FALSE(ParseWorkload("params=many").ok());
}

}  // namespace
}  // namespace pinka::cli
