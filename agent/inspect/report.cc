#include "agent/inspect/report.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "base/parse.h"
#include "base/text.h"
#include "pinka/v1/error.pb.h"
#include "pinka/v1/hardware.pb.h"

namespace pinka::inspect {
namespace {

using hardware::Finding;
using hardware::GpuFinding;
using hardware::Judgement;
using hardware::Verdict;

constexpr size_t kMostAnswerBytes = 16'384;
constexpr size_t kMostEvidenceBytes = 65'536;

std::string CardName(const GpuFinding& gpu) {
  return gpu.card == nullptr ? "" : TierNameOf(*gpu.card);
}

std::string Painted(Verdict verdict, bool colour) {
  const std::string word = PadRight(hardware::Name(verdict), 8);
  if (!colour) return word;
  const char* code = verdict == Verdict::kOk ? "32" : verdict == Verdict::kWarning ? "33" : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, word);
}

std::string Line(const std::string& name, int width, Verdict verdict, const std::string& why,
                 bool colour) {
  return fmt::format("  {}  {}  {}\n", PadRight(name, width), Painted(verdict, colour), why);
}

v1::HardwareCheck::Verdict ToWire(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return v1::HardwareCheck::OK;
    case Verdict::kWarning:
      return v1::HardwareCheck::WARNING;
    case Verdict::kMismatch:
      return v1::HardwareCheck::MISMATCH;
    case Verdict::kUnusable:
      return v1::HardwareCheck::UNUSABLE;
  }
  return v1::HardwareCheck::VERDICT_UNSPECIFIED;
}

// A proto3 string must be UTF-8; what a program printed need not be.
std::string Utf8(const std::string& bytes) {
  return IsValidUtf8(bytes) ? bytes : SanitizeForTerminal(bytes);
}

void FillCard(const GpuFinding& gpu, v1::HardwareCheck::Card* out) {
  out->set_index(gpu.reading.index);
  out->set_uuid(Utf8(gpu.reading.uuid));
  out->set_name(Utf8(gpu.reading.name));
  out->set_card(CardName(gpu));
  out->set_memory_mib(static_cast<int32_t>(gpu.reading.memory_mib));
  out->set_bus_id(Utf8(gpu.reading.bus_id));
  out->set_verdict(ToWire(gpu.verdict));
  out->set_why(Utf8(gpu.why));
}

v1::HardwareCheck ToWire(const Judgement& judgement, Timestamp as_of) {
  v1::HardwareCheck check;
  check.mutable_as_of()->set_seconds(as_of.micros() / 1'000'000);
  check.set_verdict(ToWire(judgement.verdict));
  check.set_why(Utf8(judgement.why));
  check.set_claim(Utf8(judgement.claim));
  check.set_driver(judgement.driver);
  check.set_cuda(judgement.cuda);
  check.set_good_for(judgement.good_for);
  for (const GpuFinding& gpu : judgement.gpus) FillCard(gpu, check.add_gpus());
  for (const Finding& finding : judgement.checks) {
    v1::HardwareCheck::Finding* out = check.add_checks();
    out->set_name(finding.name);
    out->set_verdict(ToWire(finding.verdict));
    out->set_why(Utf8(finding.why));
  }
  return check;
}

std::string Json(const google::protobuf::Message& message, bool zeros) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = zeros;
  std::string json;
  const auto printed = google::protobuf::util::MessageToJsonString(message, &json, options);
  return printed.ok() ? json : "{}";
}

}  // namespace

std::string ToJson(const Judgement& judgement, Timestamp as_of) {
  const std::string json = Json(ToWire(judgement, as_of), true);  // zero values too (cli.md)
  return "{\"schema\":\"pinka.v1.HardwareCheck\"," + json.substr(1) + "\n";
}

std::string ErrorJson(const Status& status) {
  v1::Error error;
  error.set_reason("Invalid");
  error.set_message(Utf8(Message(status)));
  error.set_exit_code(2);
  return "{\"error\":" + Json(error, false) + "}";
}

std::string ToText(const Judgement& judgement, bool colour) {
  std::string text = fmt::format("{}: {}\n", hardware::Name(judgement.verdict), judgement.why);
  if (!judgement.claim.empty()) text += fmt::format("claimed: {}\n", judgement.claim);
  if (!judgement.good_for.empty()) text += fmt::format("good for: {}\n", judgement.good_for);
  int width = 12;
  for (const GpuFinding& gpu : judgement.gpus)
    width = std::max(width, DisplayWidth(gpu.reading.name) + 7);
  if (!judgement.gpus.empty()) text += "\ncards\n";
  for (const GpuFinding& gpu : judgement.gpus) {
    const std::string name = fmt::format("GPU {}  {}", gpu.reading.index, gpu.reading.name);
    text += Line(name, width, gpu.verdict, gpu.why, colour);
  }
  text += "\nchecks\n";
  for (const Finding& check : judgement.checks)
    text += Line(check.name, 12, check.verdict, check.why, colour);
  return text;
}

std::string ToEvidence(const Judgement& judgement, const hardware::Evidence& evidence) {
  std::string text = ToText(judgement, false);
  for (const hardware::Run& run : evidence.smi) {
    text += fmt::format("\n$ {}\n{}\n(status {}{}, {} ms)\n", run.command,
                        SanitizeForTerminal(run.text.substr(0, kMostAnswerBytes)), run.status,
                        run.timed_out ? ", did not end in time" : "", run.took_ms);
  }
  if (text.size() <= kMostEvidenceBytes) return text;
  text.resize(kMostEvidenceBytes);
  return SanitizeForTerminal(text);  // a character may have been cut
}

}  // namespace pinka::inspect
