// Any bytes at all as an answer of nvidia-smi, of nvcc and of the version files: never a crash,
// never a hang, and never OK for a box without a card.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "agent/hardware/judge.h"
#include "agent/hardware/parse_answer.h"

using namespace pinka::hardware;  // NOLINT: a harness

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Evidence evidence;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr int kStatuses[] = {0, 2, 9, 14, 15, 18, 127, 255};
  evidence.smi.push_back({.command = "nvidia-smi", .text = text, .status = kStatuses[data[0] % 8]});
  evidence.nvcc = text;
  evidence.cuda_file = text;
  evidence.cudnn_header = text;
  static const Claim claim = *ParseClaim("a100-80");
  const Judgement judgement = Judge(evidence, data[0] & 64 ? claim : Claim());
  const bool ok = judgement.verdict == Verdict::kOk;
  if (ok && (judgement.gpus.empty() || !Proves(ParseAnswer(text).shape))) abort();
  for (const GpuFinding& gpu : judgement.gpus) {
    if (ok && (gpu.card == nullptr || gpu.reading.uuid.empty())) abort();
  }
  return 0;
}
