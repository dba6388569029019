#include "agent/hardware/judge.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "agent/hardware/judge_card.h"
#include "agent/hardware/lines.h"
#include "agent/hardware/parse_answer.h"
#include "agent/hardware/smi_status.h"
#include "agent/hardware/toolkit.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka::hardware {
namespace {

constexpr int64_t kSlowDisk = 100'000'000;  // bytes a second
constexpr int64_t kSlowAnswerMs = 15'000;
constexpr int kMostColumns = 200;

// "2 whole, healthy NVIDIA A100-SXM4-80GB, 1 whole, healthy NVIDIA A800-SXM4-80GB": each kind as
// often as it is there, in the order of the cards.
std::string CountKinds(const std::vector<GpuFinding>& gpus) {
  std::vector<std::pair<std::string_view, int>> kinds;
  for (const GpuFinding& gpu : gpus) {
    const std::string_view name = gpu.reading.name;
    const auto kind = std::ranges::find(kinds, name, [](const auto& k) { return k.first; });
    if (kind == kinds.end()) {
      kinds.emplace_back(name, 1);
    } else {
      ++kind->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : kinds)
    text += fmt::format("{}{} whole, healthy {}", text.empty() ? "" : ", ", count, name);
  return text;
}

// The answer that proves most, and what the others add.
struct Heard {
  Answer answer;
  Answer list;  // of -L: what MIG has made of the cards
  std::vector<std::string> troubles;
  std::string failure;  // why rows, if any, do not count; "" for none
  std::string warning;  // of a status
  bool slow = false;
};

std::string FirstLine(const Run& run) {
  for (const std::string_view line : Lines(run.text)) {
    if (!Trim(line).empty()) return FitColumns(SanitizeForTerminal(Trim(line)), kMostColumns);
  }
  return "it printed nothing";
}

std::string FailureOf(const Run& run) {
  if (run.timed_out)
    return fmt::format("{} did not answer within {} s", run.command, run.took_ms / 1'000);
  const char* known = StatusText(run.status);
  const std::string meaning = *known == '\0' ? "" : fmt::format(", {}", known);
  return fmt::format("{}: {} (status {}{})", run.command, FirstLine(run), run.status, meaning);
}

void Hear(const Run& run, Heard* heard) {
  heard->slow = heard->slow || run.took_ms > kSlowAnswerMs;
  const StatusMeaning meaning = MeaningOf(run.status);
  if (run.timed_out || meaning == StatusMeaning::kFailure) {
    if (heard->failure.empty()) heard->failure = FailureOf(run);
    if (run.timed_out) return;
  }
  Answer answer = ParseAnswer(run.text);
  if (meaning == StatusMeaning::kWarning) heard->warning = FailureOf(run);
  for (const std::string& trouble : answer.troubles) {
    const bool known = std::ranges::find(heard->troubles, trouble) != heard->troubles.end();
    // A question that an old driver does not know is asked again with less.
    if (!known && meaning != StatusMeaning::kBadQuery) heard->troubles.push_back(trouble);
  }
  if (answer.shape == Shape::kList) heard->list = answer;
  Answer& best = heard->answer;
  const bool better =
      answer.gpus.empty() == best.gpus.empty() ? answer.shape > best.shape : !answer.gpus.empty();
  if (better) std::swap(best, answer);
  if (best.driver.empty()) best.driver = answer.driver;
  if (best.cuda.empty()) best.cuda = answer.cuda;
}

class Judging {
 public:
  Judging(const Evidence& evidence, const Claim& claim) : evidence_(evidence), claim_(claim) {
    for (const Run& run : evidence.smi) Hear(run, &heard_);
    AddSlices(heard_.list, &heard_.answer);
  }

  Judgement Result() {
    out_.claim = claim_.text;
    out_.driver = heard_.answer.driver;
    out_.cuda = heard_.answer.cuda;
    JudgeCards();
    JudgeProgram();
    JudgeCount();
    JudgeIdentities();
    JudgeDriver();
    JudgeToolkit();
    JudgeDisk();
    Conclude();
    return std::move(out_);
  }

 private:
  void Add(const char* name, Verdict verdict, std::string why) {
    out_.checks.push_back({name, verdict, std::move(why)});
  }

  void JudgeCards() {
    for (const GpuReading& reading : heard_.answer.gpus) {
      GpuFinding gpu = JudgeCard(reading, heard_.answer.shape, claim_);
      if (gpu.verdict == Verdict::kOk && !heard_.failure.empty()) {
        gpu.verdict = Verdict::kUnusable;
        gpu.why = heard_.failure;
      }
      out_.gpus.push_back(std::move(gpu));
    }
  }

  void JudgeProgram() {
    if (evidence_.smi.empty()) return Add("nvidia-smi", Verdict::kUnusable, "it was not asked");
    if (!heard_.failure.empty()) {
      Add("nvidia-smi", Verdict::kUnusable, heard_.failure);
    } else if (out_.gpus.empty()) {
      Add("nvidia-smi", Verdict::kUnusable, FailureOf(evidence_.smi.front()));
    } else if (!Proves(heard_.answer.shape)) {
      Add("nvidia-smi", Verdict::kUnusable,
          fmt::format("it answers with {} only, which proves no card", Name(heard_.answer.shape)));
    } else if (!heard_.warning.empty()) {
      Add("nvidia-smi", Verdict::kWarning, heard_.warning);
    } else if (heard_.slow) {
      Add("nvidia-smi", Verdict::kWarning,
          "it answers slowly, which is often the first sign of a lost card");
    } else {
      Add("nvidia-smi", Verdict::kOk, fmt::format("it answers with {}", Name(heard_.answer.shape)));
    }
    for (const std::string& trouble : heard_.troubles) {
      if (!ContainsIgnoringCase(heard_.failure + heard_.warning, trouble))
        Add("message", Verdict::kWarning, trouble);
    }
  }

  // More may be attached than are described, and a message may name one that has no row.
  void JudgeCount() {
    const auto shown = static_cast<int>(out_.gpus.size());
    if (shown == 0) return;
    const auto lost = std::ranges::count_if(heard_.troubles, [&](const std::string& trouble) {
      const bool handle = ContainsIgnoringCase(trouble, "unable to determine the device handle");
      const auto row = [&](const GpuFinding& gpu) {
        return SameBus(gpu.reading.bus_id, FindBusId(trouble));
      };
      return handle && std::ranges::none_of(out_.gpus, row);
    });
    if (lost > 0) {
      Add("cards", Verdict::kMismatch,
          fmt::format("{} answer, {} more cannot be reached", shown, lost));
    } else if (heard_.answer.attached > shown) {
      Add("cards", Verdict::kMismatch,
          fmt::format("{} are attached, {} described", heard_.answer.attached, shown));
    } else {
      Add("cards", Verdict::kOk, fmt::format("{} {}", shown, shown == 1 ? "card" : "cards"));
    }
    std::set<std::string> names;
    for (const GpuFinding& gpu : out_.gpus) names.insert(gpu.reading.name);
    if (names.size() > 1)
      Add("mixed", Verdict::kWarning,
          fmt::format("cards of {} kinds: one agent a kind serves them", names.size()));
  }

  // One card shown twice is the oldest way to sell two.
  void JudgeIdentities() {
    std::set<std::string> seen;
    for (GpuFinding& gpu : out_.gpus) {
      const GpuReading& r = gpu.reading;
      const bool uuid_again = !r.uuid.empty() && !seen.insert(r.uuid).second;
      const bool bus_again = !r.bus_id.empty() && !seen.insert(r.bus_id).second;
      if (!uuid_again && !bus_again) continue;
      gpu.verdict = Verdict::kMismatch;
      gpu.why = "the same card is shown twice";
      Add("identity", Verdict::kMismatch, fmt::format("GPU {}: {}", r.index, gpu.why));
    }
  }

  void JudgeDriver() {
    if (out_.gpus.empty()) return;
    if (out_.driver.empty()) return Add("driver", Verdict::kWarning, "its version is not told");
    const std::string cuda = out_.cuda.empty() ? "unknown" : out_.cuda;
    Verdict verdict = Verdict::kOk;
    std::string why = fmt::format("{}, serves CUDA up to {}", out_.driver, cuda);
    const StatusOr<Version> driver = ParseVersion(out_.driver);
    for (const GpuFinding& gpu : out_.gpus) {
      if (!driver.ok() || gpu.card == nullptr || *driver >= DriverOfCard(*gpu.card)) continue;
      verdict = Verdict::kWarning;
      why = fmt::format("{} is older than the first that knew a {} ({})", out_.driver,
                        gpu.card->name, Print(DriverOfCard(*gpu.card)));
    }
    Add("driver", verdict, why);
  }

  void JudgeToolkit() {
    const std::string nvcc = NvccVersion(evidence_.nvcc);
    const std::string file = CudaFileVersion(evidence_.cuda_file);
    const std::string installed = nvcc.empty() ? file : nvcc;
    const StatusOr<Version> have = ParseVersion(installed);
    const StatusOr<Version> most = ParseVersion(out_.cuda);
    const bool same = have.ok() && most.ok();
    if (same && std::pair(have->major, have->minor) > std::pair(most->major, most->minor)) {
      Add("cuda", Verdict::kWarning,
          fmt::format("CUDA {} is installed, the driver serves up to {}", installed, out_.cuda));
    } else if (!installed.empty()) {
      Add("cuda", Verdict::kOk, fmt::format("CUDA {} is installed", installed));
    } else {
      Add("cuda", Verdict::kOk, "no toolkit is installed; wheels bring their own");
    }
    if (const std::string cudnn = CudnnVersion(evidence_.cudnn_header); !cudnn.empty())
      Add("cudnn", Verdict::kOk, fmt::format("cuDNN {} is installed", cudnn));
  }

  void JudgeDisk() {
    if (evidence_.disk_bytes_per_s < 0) return;
    const int64_t mb = evidence_.disk_bytes_per_s / 1'000'000;
    const bool slow = evidence_.disk_bytes_per_s < kSlowDisk;
    Add("disk", slow ? Verdict::kWarning : Verdict::kOk,
        fmt::format("{} MB/s written and synced in {}{}", mb, evidence_.disk_path,
                    slow ? ": checkpoints will be slow" : ""));
  }

  void Conclude() {
    for (const GpuFinding& gpu : out_.gpus) {
      for (Finding& remark : Remarks(gpu)) out_.checks.push_back(std::move(remark));
    }
    const auto ok = std::ranges::count(out_.gpus, Verdict::kOk, &GpuFinding::verdict);
    const auto all = std::ssize(out_.gpus);
    const auto first = [&](Verdict verdict) {
      return std::ranges::find(out_.gpus, verdict, &GpuFinding::verdict);
    };
    if (const auto wrong = first(Verdict::kMismatch); wrong != out_.gpus.end()) {
      return Say(Verdict::kMismatch, OfCard(*wrong));
    }
    if (ok == 0) {
      const std::string why =
          all == 0 || !heard_.failure.empty() ? out_.checks.front().why : OfCard(out_.gpus.front());
      return Say(Verdict::kUnusable, why);
    }
    if (ok < all) return Say(Verdict::kMismatch, OfCard(*first(Verdict::kUnusable)));
    for (const Finding& check : out_.checks) {
      if (check.verdict == Verdict::kMismatch) return Say(Verdict::kMismatch, check.why);
    }
    Say(Verdict::kOk, CountKinds(out_.gpus));
    GoodFor();
  }

  std::string OfCard(const GpuFinding& gpu) const {
    if (out_.gpus.size() == 1) return gpu.why;
    return fmt::format("GPU {} of {}: {}", gpu.reading.index, out_.gpus.size(), gpu.why);
  }

  void Say(Verdict verdict, std::string why) {
    out_.verdict = verdict;
    out_.why = std::move(why);
    if (verdict == Verdict::kMismatch) GoodFor();
  }

  // Of the first card that is whole and works, whatever was claimed.
  void GoodFor() {
    for (const GpuFinding& gpu : out_.gpus) {
      const bool works = gpu.reading.fault.empty() && IsWhole(gpu);
      if (!works || gpu.card == nullptr) continue;
      const GuidePrice* price = GuidePriceOf(*gpu.card);
      out_.good_for =
          fmt::format("tier {}: {}{}", TierNameOf(*gpu.card),
                      price == nullptr ? WorkOf(*gpu.card) : std::string(price->good_for),
                      gpu.card->bf16 ? "" : "; no bf16");
      return;
    }
  }

  static bool IsWhole(const GpuFinding& gpu) { return !gpu.reading.mig && gpu.reading.slices == 0; }

  static std::string WorkOf(const Card& card) {
    const auto gib = static_cast<int>(card.memory_gib);
    if (gib <= 12) return "debugging and small models";
    if (gib <= 16) return "inference, fine-tuning small models";
    if (gib <= 32) return "vision and language models of middle size";
    return gib <= 48 ? "training large models" : "models that 40 GB do not hold";
  }

  const Evidence& evidence_;
  const Claim& claim_;
  Heard heard_;
  Judgement out_;
};

}  // namespace

const char* Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "OK";
    case Verdict::kWarning:
      return "WARNING";
    case Verdict::kMismatch:
      return "MISMATCH";
    case Verdict::kUnusable:
      return "UNUSABLE";
  }
  return "";
}

StatusOr<Claim> ParseClaim(const std::string& text) {
  Claim claim;
  claim.text = text;
  if (text.empty()) return claim;
  claim.cards = CardsFor(text);
  if (!claim.cards.empty()) return claim;
  const std::string nearest = NearestCard(text);
  return Invalid(fmt::format(
      "{} names no card of the catalogue{}", text,
      nearest.empty() ? "; write it like a100-80, rtx3090 or t4" : "; the nearest is " + nearest));
}

Judgement Judge(const Evidence& evidence, const Claim& claim) {
  return Judging(evidence, claim).Result();
}

}  // namespace pinka::hardware
