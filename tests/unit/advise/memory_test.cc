#include "advise/memory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pinka::advise {
namespace {

Work Of(const char* network, int batch, Precision precision = Precision::kFp32, int tokens = 0) {
  Work run;
  run.network = *FindNetwork(network);
  run.batch = batch;
  run.precision = precision;
  run.tokens = tokens;
  return run;
}

double Total(const Work& run) { return EstimateMemory(run).total_gib; }

TEST(GuideFormula, GivesTheGuidesExampleToTheDigit) {
  const GuideMemory m = GuideFormula(*FindNetwork("bert-base"), 1.2);
  EXPECT_DOUBLE_EQ(m.weights_gb, 0.42);
  EXPECT_DOUBLE_EQ(m.buffer_gb, 0.5);
  EXPECT_NEAR(m.total_gb, 2.12, 1e-9);
  EXPECT_EQ(m.card_gb, 4);
  EXPECT_TRUE(m.guides_figure);
  EXPECT_NEAR(GuideFormula(*FindNetwork("bert-large"), 0).weights_gb, 1.248, 0.001);
}

// Measured with nvidia-smi by Hugging Face (BERT-large on a V100, 512 tokens), in GiB.
TEST(Memory, IsWithinATenthOfMeasuredTransformers) {
  const struct {
    int batch;
    Precision precision;
    Optimizer optimizer;
    bool checkpointing;
    double measured;
  } table[] = {{4, Precision::kFp32, Optimizer::kAdam, false, 14.60},
               {1, Precision::kFp32, Optimizer::kAdam, false, 8.48},
               {1, Precision::kFp32, Optimizer::kAdam, true, 6.62},
               {4, Precision::kAmp, Optimizer::kAdam, false, 13.61},
               {1, Precision::kAmp, Optimizer::kAdam, true, 7.10},
               {4, Precision::kFp32, Optimizer::kAdafactor, false, 12.01},
               {4, Precision::kFp32, Optimizer::kAdam8bit, false, 12.78}};
  for (const auto& row : table) {
    Work run = Of("bert-large", row.batch, row.precision, 512);
    run.optimizer = row.optimizer;
    run.checkpointing = row.checkpointing;
    EXPECT_NEAR(Total(run) / row.measured, 1, 0.1) << row.measured;
  }
}

TEST(Memory, KnowsWhatTheGuideTellsOfTheThreeNinety) {
  const Card& card = *FindCard("rtx3090");
  EXPECT_EQ(FitOn(card, EstimateMemory(Of("resnet-50", 256, Precision::kAmp))), Fit::kYes);
  EXPECT_EQ(FitOn(card, EstimateMemory(Of("vit-b/16", 64))), Fit::kYes);
  EXPECT_NE(FitOn(card, EstimateMemory(Of("vit-b/16", 128))), Fit::kYes);
  EXPECT_EQ(FitOn(card, EstimateMemory(Of("vit-b/16", 256))), Fit::kNo);
}

// Measured by torchtune on an A100 (Llama-3.2-3B, all weights, two samples of 4,096 tokens):
// packed, then compiled, then with a chunked loss.
TEST(Memory, FollowsWhatACompilerAndAChunkedLossSave) {
  Work run = Of("llama-3.2-3b", 2, Precision::kHalf, 4'096);
  const auto allocated = [](const Work& work) {
    const Estimate e = EstimateMemory(work);
    return e.total_gib - e.parts.back().gib;  // the allocator knows no context
  };
  EXPECT_NEAR(allocated(run) / 60.0, 1, 0.1);
  run.compiled = true;
  EXPECT_NEAR(allocated(run) / 51.0, 1, 0.1);
  run.chunked_loss = true;
  EXPECT_NEAR(allocated(run) / 42.9, 1, 0.1);
}

// Llama-3.1-70B over eight cards: LoRA 27.6 GiB, all weights with the host's memory 13.9.
TEST(Memory, ShardsAndOffloads) {
  Work run = Of("llama-3.1-70b", 2, Precision::kHalf, 2'048);
  run.cards = 8;
  run.zero = 3;
  run.checkpointing = run.compiled = run.chunked_loss = true;
  const auto allocated = [](const Work& work) {
    const Estimate e = EstimateMemory(work);
    return e.total_gib - e.parts.back().gib;
  };
  run.method = Method::kLora;
  EXPECT_NEAR(allocated(run) / 27.6, 1, 0.15);
  run.method = Method::kTrain;
  run.offload = true;
  EXPECT_NEAR(allocated(run) / 13.9, 1, 0.15);
}

TEST(Memory, HoldsAllWeightsOnceWhileAFrameworkLoadsThemWhole) {
  Work run = Of("llama-2-7b", 1, Precision::kHalf, 512);
  run.method = Method::kLora;
  run.cards = 2;
  run.zero = 3;
  run.checkpointing = true;
  const double sharded = Total(run);
  run.loads_whole = true;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  EXPECT_GT(Total(run), sharded);
  EXPECT_NEAR(Total(run), 1.5 * 2 * run.network.params / kGib + 1.3, 0.01);
}

// With checkpointing the logits are gone when a layer is computed again: the larger of both counts.
TEST(Memory, CountsTheLargerOfLogitsAndOneLayer) {
  Work run = Of("gpt2", 8, Precision::kHalf, 1'024);
  run.checkpointing = true;
  run.optimizer = Optimizer::kSgd;
  const double with_logits = Total(run);
  run.network.token_head = false;
  const double without = Total(run);
  run.network.token_head = true;
  run.chunked_loss = true;
  EXPECT_LT(Total(run), with_logits);
  EXPECT_LT(without, with_logits);
}

TEST(Memory, SmoothActivationsKeepAThirdValue) {
  Work relu = Of("mobilenet-v2", 64);
  Work smooth = relu;
  smooth.network.kept = 3;
  EXPECT_NEAR(Total(smooth) - Total(relu), relu.network.activations_m * 1e6 * 64 * 4 / (1 << 30),
              0.01);
}

TEST(Memory, PartsSumAndTheRangeHoldsTheTotal) {
  for (const Network& network : Networks()) {
    for (const Method method : {Method::kTrain, Method::kLora, Method::kQlora, Method::kInfer}) {
      Work run;
      run.network = network;
      run.method = method;
      const Estimate e = EstimateMemory(run);
      double sum = 0;
      for (const Part& part : e.parts) {
        EXPECT_GT(part.gib, 0) << part.name;
        sum += part.gib;
      }
      EXPECT_NEAR(sum, e.total_gib, 1e-9);
      EXPECT_LT(e.low_gib, e.total_gib);
      EXPECT_GT(e.high_gib, e.total_gib);
    }
  }
}

TEST(Memory, GrowsWithBatchAndShrinksWithWhatSavesIt) {
  for (const char* name : {"bert-base", "llama-2-7b", "vit-b/16", "resnet-50"}) {
    for (int batch = 1; batch < 64; batch *= 2)
      EXPECT_LT(Total(Of(name, batch)), Total(Of(name, 2 * batch))) << name;
    Work kept = Of(name, 16);
    Work again = kept;
    again.checkpointing = true;
    EXPECT_LT(Total(again), Total(kept)) << name;
  }
  Work train = Of("llama-2-7b", 1, Precision::kHalf, 1'024);
  Work lora = train;
  lora.method = Method::kLora;
  Work qlora = train;
  qlora.method = Method::kQlora;
  EXPECT_LT(Total(lora), Total(train));
  EXPECT_LT(Total(qlora), Total(lora));
  double before = Total(train);
  for (const int stage : {1, 2, 3}) {
    Work sharded = train;
    sharded.cards = 8;
    sharded.zero = stage;
    EXPECT_LT(Total(sharded), before) << stage;
    before = Total(sharded);
  }
}

TEST(Memory, TheLargestBatchFitsAndTheNextMayNot) {
  for (const char* card : {"t4", "rtx3090", "a100-80"}) {
    for (const char* name : {"bert-base", "resnet-50", "vit-b/16", "llama-2-7b"}) {
      Work run = Of(name, 1, Precision::kHalf);
      const int batch = LargestBatch(*FindCard(card), run);
      run.batch = std::max(batch, 1);
      EXPECT_EQ(FitOn(*FindCard(card), EstimateMemory(run)) == Fit::kYes, batch > 0);
      run.batch = batch + 1;
      EXPECT_NE(FitOn(*FindCard(card), EstimateMemory(run)), Fit::kYes) << card << " " << name;
    }
  }
}

}  // namespace
}  // namespace pinka::advise
