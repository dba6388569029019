// Real outputs of nvidia-smi, each with its verdict (docs/hardware.md). They are not part of the
// product: PINKA_SMI_DATA names the directory where they lie.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "agent/hardware/judge.h"
#include "agent/hardware/lines.h"

namespace pinka::hardware {
namespace {

struct Expected {
  const char* file;
  const char* claim;
  Verdict verdict;
  const char* why;  // a part of it
};

using enum Verdict;
const Expected kExpected[] = {
    {"err-insufficient-permissions-mig-csv", "a100-80", kMismatch, "split by MIG into 1 slices"},
    {"err-rtx4090-8x-q-unknown-error-minor-numbers", "rtx4090", kOk, "8 whole"},
    {"fail-cannot-communicate-with-driver", "", kUnusable, "the driver is not loaded"},
    {"fail-command-not-found", "", kUnusable, "there is no such program"},
    {"fail-device-handle-line-then-table-driver610", "", kUnusable, "Unable to determine"},
    {"fail-driver-library-mismatch", "", kUnusable, "mismatch"},
    {"fail-gpu-is-lost-csv-CONSTRUCTED", "rtx3090", kUnusable, "no UUID"},
    {"fail-gpu-lost-reboot", "", kUnusable, "GPU is lost"},
    {"fail-inforom-corrupted", "p100", kUnusable, "cut off"},
    {"fail-insufficient-permissions-nvml", "", kUnusable, "Insufficient Permissions"},
    {"fail-invalid-field-old-driver", "", kUnusable, "not a valid field"},
    {"fail-no-devices", "", kUnusable, "no reason"},
    {"fail-recovery-action-reset-csv", "", kUnusable, "tells no name"},
    {"fmt-a100-sxm4-40gb-driver450-q", "a100-40", kUnusable, "no UUID"},
    {"fmt-driver610-KMD-header", "", kMismatch, "no card of the catalogue"},
    {"fmt-k80-4x-driver430-minor-order-shared-serial-q-x", "", kMismatch, "Tesla K80"},
    {"fmt-v100-sxm3-driver440-table-no-mig-row", "v100-32", kUnusable, "cut off"},
    {"mig-a100-profile-renamed-3g39gb", "", kUnusable, ""},
    {"mig-a800-sxm4-80gb-driver535-table", "a800", kMismatch, "MIG is on"},
    {"mig-h100-enabled-driver590", "h100", kMismatch, "into 4 slices"},
    {"mig-h20-8x-three-split-five-whole-L", "h20", kMismatch, "into 4 slices"},
    {"mig-h200-compute-instances-driver590", "h200", kMismatch, "into 5 slices"},
    {"mixed-5090-4090-fields", "rtx4090", kMismatch, "claimed is rtx4090"},
    {"na-gb10-unified-memory", "", kMismatch, "no card of the catalogue"},
    {"na-gt730-driver384-q-x", "", kMismatch, "no card of the catalogue"},
    {"na-rtx2080ti-2x-driver410-ecc-unsupported-q-x", "rtx2080ti", kOk, "2 whole"},
    {"ok-a10-driver535-q", "a10", kOk, "1 whole"},
    {"ok-a100-pcie-40gb-and-80gb-pcie-L", "a100-40", kUnusable, "a list"},
    {"ok-a100-sxm4-40gb-driver460-table", "a100-40", kUnusable, "a table"},
    {"ok-a10g-driver515-q-x", "a10g", kOk, "1 whole"},
    {"ok-h100-80gb-hbm3-driver590", "h100", kOk, "1 whole"},
    {"ok-h100-8x-driver550-table", "h100", kUnusable, "a table"},
    {"ok-h20-8x-driver535-table", "h20", kUnusable, "a table"},
    {"ok-l4-2x-driver525-table", "l4", kUnusable, "a table"},
    {"ok-l40s-driver595-idle-but-100util", "l40s", kOk, "1 whole"},
    {"ok-rtx4080super-desktop-processes-truncated-name", "", kMismatch, "RTX 4080 SUPER"},
    {"ok-v100-sxm2-32gb-driver525-table", "v100-32", kUnusable, "cut off"},
    {"raw-columns-h100-query-gpu-full", "h100", kOk, "1 whole"},
    {"vgpu-a40-48q-and-h100l-2-24c-csv", "a40", kMismatch, "a slice of one A40 board"},
    {"vgpu-grid-t4-4c-driver470-table", "t4", kMismatch, "a slice of one T4 board with 4096 MiB"},
    {"vgpu-grid-v100d-8c-driver550-table", "v100-32", kMismatch, "a slice of one V100D board"},
};

// A file shows commands ("$ nvidia-smi -L"), what they printed, and notes ("# …", "(…)").
Evidence ReadEvidence(const std::string& text) {
  Evidence evidence;
  bool is_smi = true;
  bool is_status = false;
  evidence.smi.push_back({.command = "nvidia-smi", .text = {}});
  for (const std::string_view line : Lines(text)) {
    if (line.starts_with("$ ")) {
      is_status = line == "$ echo $?";
      is_smi = !is_status && line.find("/dev/null") == std::string_view::npos;
      if (is_smi) evidence.smi.push_back({.command = std::string(line.substr(2)), .text = {}});
    } else if (is_status) {
      if (!Trim(line).empty())
        evidence.smi.back().status = static_cast<int>(LeadingNumber(Trim(line)));
      is_status = false;
    } else if (line.starts_with("# exit status ")) {
      evidence.smi.back().status = static_cast<int>(LeadingNumber(line.substr(14)));
    } else if (is_smi && !line.starts_with('#') && !line.starts_with('(')) {
      evidence.smi.back().text += std::string(line) + "\n";
    }
  }
  std::erase_if(evidence.smi,
                [](const Run& run) { return Trim(run.text).empty() && run.status == 0; });
  if (evidence.smi.empty()) evidence.smi.push_back({.command = "nvidia-smi", .text = {}});
  return evidence;
}

std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SmiData, GetsTheRightVerdicts) {
  const char* directory = std::getenv("PINKA_SMI_DATA");
  if (directory == nullptr) GTEST_SKIP() << "skipped: no data (PINKA_SMI_DATA)";
  std::set<std::string> judged;
  for (const Expected& expected : kExpected) {
    const auto path = std::filesystem::path(directory) / (std::string(expected.file) + ".txt");
    judged.insert(path.filename());
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    const Judgement judgement = Judge(ReadEvidence(ReadWhole(path)), *ParseClaim(expected.claim));
    EXPECT_EQ(judgement.verdict, expected.verdict) << expected.file << ": " << judgement.why;
    EXPECT_NE(judgement.why.find(expected.why), std::string::npos)
        << expected.file << ": " << judgement.why;
  }
  // A program, not an output: it is run as one (SmiPrograms.ThatHangHoldUpNobody).
  judged.insert("hang-child-keeps-stdout-open.txt");
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".txt") continue;
    EXPECT_TRUE(judged.contains(entry.path().filename())) << entry.path();
  }
}

}  // namespace
}  // namespace pinka::hardware
