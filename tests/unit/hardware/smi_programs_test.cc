// The stand-ins of tests/support/smi, run as a box's nvidia-smi would be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "agent/inspect/check_command.h"
#include "agent/inspect/collect.h"
#include "agent/inspect/disk_speed.h"
#include "agent/inspect/report.h"
#include "agent/inspect/run_program.h"
#include "tests/support/agent/files.h"

namespace pinka::inspect {
namespace {

using hardware::Verdict;
using testing::HasSubstr;

std::string StandIn(const std::string& name) { return std::string(PINKA_SMI_DIR) + "/" + name; }

hardware::Judgement Check(const std::string& name, const std::string& claim,
                          Duration deadline = Duration::Seconds(60)) {
  Questions questions;
  questions.nvidia_smi = StandIn(name);
  questions.deadline = deadline;
  return hardware::Judge(Collect(questions), *hardware::ParseClaim(claim));
}

TEST(SmiPrograms, AreJudgedForWhatTheyPlay) {
  const struct {
    const char* program;
    const char* claim;
    Verdict verdict;
    const char* why;
  } table[] = {
      {"a100-80", "a100-80", Verdict::kOk, "2 whole, healthy NVIDIA A100-SXM4-80GB"},
      {"a100-80", "", Verdict::kOk, "2 whole"},
      {"a100-80", "h100", Verdict::kMismatch, "claimed is h100"},
      {"a800-among-a100", "a100-80", Verdict::kMismatch, "GPU 1 of 3"},
      {"a800-among-a100", "", Verdict::kOk,
       "2 whole, healthy NVIDIA A100-SXM4-80GB, 1 whole, healthy NVIDIA A800-SXM4-80GB"},
      {"a100-dual-core", "a100", Verdict::kMismatch, "a slice of one A100X board"},
      {"rtx4090-48g", "rtx4090", Verdict::kMismatch, "modified"},
      {"throttled", "t4", Verdict::kMismatch, "throttled"},
      {"lost-one-of-eight", "h100", Verdict::kMismatch, "GPU 5 of 8: GPU is lost"},
      {"table-only", "v100-32", Verdict::kUnusable, "cut off"},
      {"old-driver", "t4", Verdict::kOk, "1 whole, healthy Tesla T4"},
      {"no-driver", "t4", Verdict::kUnusable, "status 9"},
      {"is-not-there", "t4", Verdict::kUnusable, "there is no such program"},
  };
  for (const auto& row : table) {
    const hardware::Judgement judgement = Check(row.program, row.claim);
    EXPECT_EQ(judgement.verdict, row.verdict) << row.program << ": " << judgement.why;
    EXPECT_THAT(judgement.why, HasSubstr(row.why)) << row.program;
  }
}

TEST(SmiPrograms, ThatHangHoldUpNobody) {
  for (const char* program : {"hang", "rows-then-hang"}) {
    const hardware::Judgement judgement = Check(program, "t4", Duration::Millis(300));
    EXPECT_EQ(judgement.verdict, Verdict::kUnusable);
    EXPECT_THAT(judgement.why, HasSubstr("did not answer"));
  }
}

TEST(RunProgram, LeavesNothingOfAHangingGroup) {
  test::TempDir temp;
  const std::string pid_file = temp.path() + "/pid";
  const std::string script =
      "trap '' TERM; sleep 1000 & echo $! > " + pid_file + "; echo rows; wait";
  const Outcome outcome = RunProgram({"/bin/sh", "-c", script}, Duration::Millis(500));
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_FALSE(outcome.stuck);
  EXPECT_EQ(outcome.output, "rows\n");
  EXPECT_TRUE(test::WaitForEnd(std::stoi(test::Slurp(pid_file))));
}

TEST(RunProgram, WaitsForNobodyWhoKeepsTheOutputOpen) {
  const Outcome outcome =
      RunProgram({"/bin/sh", "-c", "sleep 1000 & echo rows"}, Duration::Seconds(100));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "rows\n");
}

TEST(RunProgram, TellsHowItEnded) {
  EXPECT_EQ(RunProgram({"/bin/sh", "-c", "echo out; echo err >&2; exit 14"}, Duration::Seconds(60))
                .status,
            14);
  EXPECT_EQ(RunProgram({"/bin/sh", "-c", "kill -9 $$"}, Duration::Seconds(60)).status,
            128 + SIGKILL);
  EXPECT_EQ(RunProgram({"/no/such/program"}, Duration::Seconds(60)).status, 127);
  EXPECT_EQ(RunProgram({"/bin/sh", "-c", "head -c 5000000 /dev/zero"}, Duration::Seconds(60))
                .output.size(),
            kMostBytes);
}

TEST(DiskSpeed, MeasuresAndLeavesNothing) {
  test::TempDir temp;
  EXPECT_GT(DiskSpeed(temp.path(), 1 << 20), 0);
  EXPECT_EQ(DiskSpeed(temp.path() + "/not-there", 1 << 20), -1);
}

TEST(Report, PrintsTheContractsJson) {
  const std::string json = ToJson(Check("a100-80", "a100-80"), Timestamp::Seconds(1'800'000'000));
  for (const char* part :
       {R"({"schema":"pinka.v1.HardwareCheck","verdict":"OK")", R"("asOf":"2027-01-15T08:00:00Z")",
        R"("claim":"a100-80")", R"("index":0,"uuid":"GPU-)", R"("name":"NVIDIA A100-SXM4-80GB")",
        R"("card":"a100-80","memoryMib":81920)",
        R"("checks":[{"name":"nvidia-smi","verdict":"OK")"})
    EXPECT_THAT(json, HasSubstr(part));
}

}  // namespace
}  // namespace pinka::inspect
