#include "agent/hardware/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/hardware/judge_card.h"
#include "agent/hardware/smi_status.h"
#include "fmt/format.h"

namespace pinka::hardware {
namespace {

using testing::HasSubstr;

std::string Uuid(int n) { return fmt::format("GPU-0a1b2c3d-1111-2222-3333-{:012x}", n); }

// A CSV answer of cards named so, each with that much memory.
Run Csv(const std::vector<std::pair<std::string, int>>& cards, int status = 0) {
  hardware::Run run{.command = "nvidia-smi", .text = {}, .status = status};
  run.text = "index, uuid, name, pci.bus_id, memory.total [MiB], driver_version\n";
  int n = 0;
  for (const auto& [name, mib] : cards) {
    run.text += fmt::format("{}, {}, {}, 00000000:{:02X}:00.0, {} MiB, 550.54.15\n", n, Uuid(n),
                            name, n + 1, mib);
    ++n;
  }
  return run;
}

Judgement Of(const std::vector<Run>& runs, const std::string& claim = "") {
  Evidence evidence;
  evidence.smi = runs;
  return Judge(evidence, *ParseClaim(claim));
}

Judgement OfCard(const std::string& name, int mib, const std::string& claim = "") {
  return Of({Csv({{name, mib}})}, claim);
}

bool Has(const Judgement& judgement, const std::string& check, Verdict verdict) {
  return std::ranges::any_of(judgement.checks, [&](const Finding& finding) {
    return finding.name == check && finding.verdict == verdict;
  });
}

TEST(Judge, KnowsCardsByTheirWholeNames) {
  const struct {
    const char* name;
    int mib;
    const char* claim;
    Verdict verdict;
  } table[] = {
      {"A100-SXM4-40GB", 40536, "a100-40", Verdict::kOk},
      {"NVIDIA A100-SXM4-40GB", 40960, "a100-40", Verdict::kOk},
      {"NVIDIA A100-PCIE-40GB", 40960, "a100-40", Verdict::kOk},
      {"NVIDIA A100 80GB PCIe", 81920, "a100-80", Verdict::kOk},
      {"NVIDIA A100-SXM4-80GB", 81920, "a100-80", Verdict::kOk},
      {"NVIDIA A100-SXM4-80GB", 81920, "a100", Verdict::kOk},
      {"NVIDIA A100-SXM4-40GB", 40960, "a100-80", Verdict::kMismatch},
      {"NVIDIA A800-SXM4-80GB", 81920, "a100-80", Verdict::kMismatch},
      {"NVIDIA A800 80GB PCIe", 81920, "a800", Verdict::kOk},
      {"NVIDIA A10", 23028, "a10", Verdict::kOk},
      {"NVIDIA A10", 23028, "a100", Verdict::kMismatch},
      {"NVIDIA A10G", 23028, "a10", Verdict::kMismatch},
      {"NVIDIA L4", 23034, "l40", Verdict::kMismatch},
      {"NVIDIA L40", 46068, "l40", Verdict::kOk},
      {"NVIDIA L40S", 46068, "l40", Verdict::kMismatch},
      {"NVIDIA L20", 46068, "l40s", Verdict::kMismatch},
      {"NVIDIA H20", 97871, "h20", Verdict::kOk},
      {"NVIDIA H200", 143771, "h20", Verdict::kMismatch},
      {"NVIDIA H100 80GB HBM3", 81559, "h100", Verdict::kOk},
      {"NVIDIA H100 PCIe", 81559, "h100", Verdict::kOk},
      {"NVIDIA H800", 81559, "h100", Verdict::kMismatch},
      {"Tesla T4", 15360, "t4", Verdict::kOk},
      {"Tesla T4", 15109, "t4", Verdict::kOk},
      {"GRID T4-4C", 4096, "t4", Verdict::kMismatch},
      {"NVIDIA A40-48Q", 49152, "a40", Verdict::kMismatch},
      {"NVIDIA GeForce RTX 4090", 24564, "rtx4090", Verdict::kOk},
      {"NVIDIA GeForce RTX 4090", 49140, "rtx4090", Verdict::kMismatch},
      {"NVIDIA GeForce RTX 4090", 49140, "", Verdict::kMismatch},
      {"NVIDIA GeForce RTX 4090 D", 24564, "rtx4090", Verdict::kMismatch},
      {"NVIDIA GeForce RTX 4090 D", 24564, "4090d", Verdict::kOk},
      {"GeForce RTX 2080 Ti", 10989, "rtx2080ti", Verdict::kOk},
      {"NVIDIA GeForce RTX 2080 Ti", 22528, "rtx2080ti", Verdict::kMismatch},
      {"NVIDIA GeForce RTX 4080 ...", 16376, "", Verdict::kUnusable},
      {"Tesla V100-SXM2...", 32768, "v100-32", Verdict::kUnusable},
      {"NVIDIA GeForce RTX 9999", 24576, "", Verdict::kMismatch},
      {"nvidia l4", 23034, "l4", Verdict::kMismatch},
  };
  for (const auto& row : table) {
    const Judgement judgement = OfCard(row.name, row.mib, row.claim);
    EXPECT_EQ(judgement.verdict, row.verdict)
        << row.name << " as " << row.claim << ": " << judgement.why;
  }
}

TEST(Judge, NamesBothCardsOfAMismatch) {
  const Judgement judgement = OfCard("NVIDIA A100-SXM4-40GB", 40960, "a100-80");
  EXPECT_EQ(judgement.why, "claimed is a100-80, delivered is NVIDIA A100-SXM4-40GB");
  EXPECT_THAT(judgement.good_for, HasSubstr("tier a100-40"));
}

TEST(Judge, FindsTheOneWrongCardOfSeveral) {
  const Judgement judgement = Of({Csv({{"NVIDIA A100-SXM4-80GB", 81920},
                                       {"NVIDIA A800-SXM4-80GB", 81920},
                                       {"NVIDIA A100-SXM4-80GB", 81920}})},
                                 "a100-80");
  EXPECT_EQ(judgement.verdict, Verdict::kMismatch);
  EXPECT_THAT(judgement.why, HasSubstr("GPU 1 of 3"));
  EXPECT_EQ(judgement.gpus[0].verdict, Verdict::kOk);
  EXPECT_EQ(judgement.gpus[1].verdict, Verdict::kMismatch);
  EXPECT_TRUE(Has(judgement, "mixed", Verdict::kWarning));
}

TEST(Judge, SeesOneCardThatIsShownTwice) {
  hardware::Run run = Csv({{"NVIDIA A100-SXM4-80GB", 81920}, {"NVIDIA A100-SXM4-80GB", 81920}});
  run.text.replace(run.text.find(Uuid(1)), Uuid(1).size(), Uuid(0));
  const Judgement judgement = Of({run});
  EXPECT_EQ(judgement.verdict, Verdict::kMismatch);
  EXPECT_THAT(judgement.why, HasSubstr("shown twice"));
}

TEST(Judge, ReadsStatusAndRowsTogether) {
  const struct {
    int status;
    Verdict verdict;
  } table[] = {{0, Verdict::kOk},        {14, Verdict::kOk},       {9, Verdict::kUnusable},
               {15, Verdict::kUnusable}, {16, Verdict::kUnusable}, {18, Verdict::kUnusable},
               {4, Verdict::kUnusable},  {99, Verdict::kUnusable}};
  for (const auto& row : table) {
    const Judgement judgement = Of({Csv({{"Tesla T4", 15360}}, row.status)});
    EXPECT_EQ(judgement.verdict, row.verdict) << row.status << ": " << judgement.why;
  }
}

TEST(Judge, WarnsOfWhatOnlyThePlainCallSays) {
  const hardware::Run plain{.command = "nvidia-smi",
                            .text = "WARNING: infoROM is corrupted at gpu 0000:0B:00.0\n",
                            .status = 14};
  const Judgement judgement = Of({Csv({{"Tesla T4", 15360}}), plain}, "t4");
  EXPECT_EQ(judgement.verdict, Verdict::kOk);
  EXPECT_TRUE(Has(judgement, "nvidia-smi", Verdict::kWarning));
  EXPECT_THAT(judgement.checks[0].why, HasSubstr("0000:0B:00.0"));
}

TEST(Judge, AsksNothingOfAQuestionThatWasNotUnderstood) {
  const hardware::Run refused{.command = "nvidia-smi",
                              .text = "Field \"mig.mode.current\" is not a valid field to query.\n",
                              .status = 2};
  const Judgement judgement = Of({refused, Csv({{"Tesla T4", 15360}})}, "t4");
  EXPECT_EQ(judgement.verdict, Verdict::kOk) << judgement.why;
}

TEST(Judge, UsesNoRowsOfAProgramThatHangs) {
  hardware::Run run = Csv({{"Tesla T4", 15360}});
  run.timed_out = true;
  run.took_ms = 60'000;
  const Judgement judgement = Of({run});
  EXPECT_EQ(judgement.verdict, Verdict::kUnusable);
  EXPECT_THAT(judgement.why, HasSubstr("did not answer within 60 s"));
  EXPECT_TRUE(judgement.gpus.empty());
}

TEST(Judge, UsesASlowAnswerAndSaysSo) {
  hardware::Run run = Csv({{"Tesla T4", 15360}});
  run.took_ms = 45'000;
  const Judgement judgement = Of({run});
  EXPECT_EQ(judgement.verdict, Verdict::kOk);
  EXPECT_TRUE(Has(judgement, "nvidia-smi", Verdict::kWarning));
}

TEST(Judge, QuotesWhatAFailingProgramSaid) {
  const Judgement judgement = Of({hardware::Run{
      .command = "nvidia-smi",
      .text = "NVIDIA-SMI has failed because it couldn't communicate with the driver, \n",
      .status = 9}});
  EXPECT_EQ(judgement.verdict, Verdict::kUnusable);
  EXPECT_THAT(judgement.why, HasSubstr("couldn't communicate"));
  EXPECT_THAT(judgement.why, HasSubstr("status 9, the driver is not loaded"));
}

TEST(Judge, TakesALostCardOutAndKeepsTheOthers) {
  hardware::Run run = Csv({{"NVIDIA H100 80GB HBM3", 81559}, {"NVIDIA H100 80GB HBM3", 81559}});
  const size_t at = run.text.rfind("81559 MiB");
  run.text.replace(at, 9, "[GPU is lost]");
  const Judgement judgement = Of({run}, "h100");
  EXPECT_EQ(judgement.verdict, Verdict::kMismatch);
  EXPECT_EQ(judgement.gpus[0].verdict, Verdict::kOk);
  EXPECT_EQ(judgement.gpus[1].verdict, Verdict::kUnusable);
  EXPECT_THAT(judgement.why, HasSubstr("GPU 1 of 2: GPU is lost"));
}

TEST(Judge, CountsACardThatOnlyAMessageNames) {
  hardware::Run run = Csv({{"Tesla T4", 15360}});
  run.text =
      "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\n" + run.text;
  const Judgement judgement = Of({run}, "t4");
  EXPECT_EQ(judgement.verdict, Verdict::kMismatch);
  EXPECT_TRUE(Has(judgement, "cards", Verdict::kMismatch));
}

GpuReading WholeT4() {
  GpuReading gpu;
  gpu.name = "Tesla T4";
  gpu.uuid = Uuid(1);
  gpu.memory_mib = 15360;
  return gpu;
}

TEST(Judge, RefusesAThrottledCardAndWarnsOfALoweredOne) {
  const struct {
    int64_t limit_w;
    Verdict verdict;
    size_t remarks;
  } table[] = {{70, Verdict::kOk, 0}, {60, Verdict::kOk, 1}, {40, Verdict::kMismatch, 0}};
  for (const auto& row : table) {
    GpuReading gpu = WholeT4();
    gpu.power_limit_mw = row.limit_w * 1'000;
    const GpuFinding finding = JudgeCard(gpu, Shape::kXml, {});
    EXPECT_EQ(finding.verdict, row.verdict) << row.limit_w;
    EXPECT_EQ(Remarks(finding).size(), row.remarks) << row.limit_w;
  }
  GpuReading hot = WholeT4();
  hot.slowed_by = {"HW Thermal Slowdown"};
  EXPECT_EQ(JudgeCard(hot, Shape::kXml, {}).verdict, Verdict::kMismatch);
}

TEST(Judge, BindsNoJobToACardWithoutUuid) {
  GpuReading gpu = WholeT4();
  gpu.uuid.clear();
  EXPECT_EQ(JudgeCard(gpu, Shape::kCsv, {}).verdict, Verdict::kUnusable);
  gpu = WholeT4();
  gpu.memory_forbidden = true;
  gpu.memory_mib = 0;
  EXPECT_EQ(JudgeCard(gpu, Shape::kCsv, {}).verdict, Verdict::kUnusable);
  for (const Shape shape : {Shape::kTable, Shape::kList})
    EXPECT_EQ(JudgeCard(WholeT4(), shape, {}).verdict, Verdict::kUnusable);
  for (const Shape shape : {Shape::kXml, Shape::kCsv, Shape::kDetail})
    EXPECT_EQ(JudgeCard(WholeT4(), shape, {}).verdict, Verdict::kOk);
}

TEST(Judge, ComparesVersionsAsNumbers) {
  EXPECT_GT(*ParseVersion("470.103.01"), *ParseVersion("470.57.02"));
  EXPECT_GT(*ParseVersion("595.80"), *ParseVersion("595.9"));
  EXPECT_GT(*ParseVersion("610.57.04"), *ParseVersion("595.80"));
  hardware::Run old = Csv({{"NVIDIA GeForce RTX 4090", 24564}});
  old.text.replace(old.text.find("550.54.15"), 9, "515.65.01");
  EXPECT_TRUE(Has(Of({old}), "driver", Verdict::kWarning));
}

TEST(Judge, WarnsOfAToolkitThatIsNewerThanTheDriver) {
  Evidence evidence;
  evidence.smi = {Csv({{"Tesla T4", 15360}})};
  evidence.smi[0].text += "\nCUDA Version: 12.4\n";
  evidence.nvcc = "Cuda compilation tools, release 12.10, V12.10.99\n";
  EXPECT_TRUE(Has(Judge(evidence, {}), "cuda", Verdict::kWarning));
  evidence.nvcc = "Cuda compilation tools, release 12.2, V12.2.140\n";
  EXPECT_TRUE(Has(Judge(evidence, {}), "cuda", Verdict::kOk));
}

TEST(Judge, RefusesAClaimThatNamesNoCard) {
  EXPECT_FALSE(ParseClaim("gtx-9000").ok());
  EXPECT_EQ(ParseClaim("a100-80")->cards.size(), 2);
  EXPECT_EQ(ParseClaim("a10")->cards.size(), 1);
  EXPECT_TRUE(ParseClaim("")->cards.empty());
}

TEST(Judge, KnowsWhatEachStatusMeans) {
  EXPECT_EQ(MeaningOf(0), StatusMeaning::kGood);
  EXPECT_EQ(MeaningOf(14), StatusMeaning::kWarning);
  EXPECT_EQ(MeaningOf(2), StatusMeaning::kBadQuery);
  for (const int status : {4, 6, 9, 10, 12, 15, 16, 17, 18, 28, 127, 255, 77, 137})
    EXPECT_EQ(MeaningOf(status), StatusMeaning::kFailure) << status;
}

}  // namespace
}  // namespace pinka::hardware
