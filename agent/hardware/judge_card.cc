#include "agent/hardware/judge_card.h"

#include <algorithm>

#include "agent/hardware/slice.h"
#include "fmt/format.h"

namespace pinka::hardware {
namespace {

constexpr int64_t kFarBelowPercent = 70;  // of the power limit: a card sold and not delivered
constexpr int64_t kBelowPercent = 95;
constexpr int64_t kOffShownPercent = 2;

int64_t NominalMib(const Card& card) { return static_cast<int64_t>(card.memory_gib) * 1024; }

int64_t DefaultPowerMw(const GpuFinding& gpu) {
  if (gpu.reading.default_power_limit_mw > 0) return gpu.reading.default_power_limit_mw;
  return gpu.card == nullptr ? 0 : static_cast<int64_t>(gpu.card->power_w) * 1'000;
}

bool PowerBelow(const GpuFinding& gpu, int64_t percent) {
  const int64_t limit = gpu.reading.power_limit_mw;
  return limit > 0 && limit * 100 < DefaultPowerMw(gpu) * percent;
}

std::string PowerText(const GpuFinding& gpu) {
  return fmt::format("its power limit is {} W of {} W", gpu.reading.power_limit_mw / 1'000,
                     DefaultPowerMw(gpu) / 1'000);
}

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string NameText(const GpuReading& gpu) { return gpu.name.empty() ? "a card" : gpu.name; }

std::string WhyUnknown(const GpuReading& gpu) {
  if (gpu.name.empty()) return "it tells no name: nothing proves what it is";
  if (gpu.name.ends_with("..."))
    return fmt::format("\"{}\" is cut off: several cards begin so", gpu.name);
  return fmt::format("{} is no card of the catalogue: an admin decides what it is", gpu.name);
}

std::string WhyNotClaimed(const GpuFinding& gpu, const Claim& claim) {
  if (claim.cards.empty() || std::ranges::find(claim.cards, gpu.card) != claim.cards.end())
    return "";
  return fmt::format("claimed is {}, delivered is {}", claim.text, gpu.reading.name);
}

std::string WhyMemory(const GpuFinding& gpu) {
  const int64_t seen = gpu.reading.memory_mib;
  if (seen == 0 || MemoryFits(*gpu.card, seen)) return "";
  const bool more = seen > NominalMib(*gpu.card);
  return fmt::format(
      "it shows {} MiB where a {} has {} MiB: {}", seen, gpu.card->name,
      gpu.card->shown_mib[0] > 0 ? gpu.card->shown_mib[0] : NominalMib(*gpu.card),
      more ? "modified, or another variant" : "a part of a card, or another variant");
}

std::string WhySlow(const GpuFinding& gpu) {
  if (!gpu.reading.slowed_by.empty())
    return fmt::format("it is throttled: {}", Joined(gpu.reading.slowed_by));
  return PowerBelow(gpu, kFarBelowPercent) ? "it is throttled: " + PowerText(gpu) : "";
}

// What makes a card another than it should be; "" for none.
std::string WhyWrong(GpuFinding& gpu, const Claim& claim) {
  if (std::string why = WhySlice(gpu.reading); !why.empty()) return why;
  gpu.card = CardReportedAs(gpu.reading.name);
  // A cut or missing name proves nothing, but a whole one that is not the claimed card does.
  if (gpu.card == nullptr) return gpu.reading.name.ends_with("...") ? "" : WhyUnknown(gpu.reading);
  if (std::string why = WhyNotClaimed(gpu, claim); !why.empty()) return why;
  if (std::string why = WhyMemory(gpu); !why.empty()) return why;
  const std::string slow = WhySlow(gpu);
  gpu.passing = !slow.empty();
  return slow;
}

// What leaves open whether a card is what it should be; "" for nothing.
std::string WhyUnproven(const GpuFinding& gpu, Shape shape) {
  const GpuReading& reading = gpu.reading;
  if (gpu.card == nullptr) return WhyUnknown(reading);
  if (!Proves(shape)) return fmt::format("only {} shows it, which proves no card", Name(shape));
  if (reading.uuid.empty()) return "it tells no UUID: no job can be bound to it";
  if (reading.memory_forbidden)
    return "its memory may not be read here: this box was given a part of it";
  return "";
}

}  // namespace

bool MemoryFits(const Card& card, int64_t memory_mib) {
  for (const int64_t shown : card.shown_mib) {
    const int64_t off = std::max(memory_mib, shown) - std::min(memory_mib, shown);
    if (shown > 0 && off * 100 <= shown * kOffShownPercent) return true;
  }
  // With ECC, or under a driver that nobody wrote down: 90 to 101 % of what the name says.
  const int64_t nominal = NominalMib(card);
  return memory_mib * 100 >= nominal * 90 && memory_mib * 100 <= nominal * 101;
}

GpuFinding JudgeCard(const GpuReading& reading, Shape shape, const Claim& claim) {
  GpuFinding gpu;
  gpu.reading = reading;
  if (!reading.fault.empty()) {
    gpu.card = CardReportedAs(reading.name);
    gpu.verdict = Verdict::kUnusable;
    gpu.why = reading.fault;
    return gpu;
  }
  const bool nameless = reading.name.empty() && WhySlice(reading).empty();
  if (!nameless) gpu.why = WhyWrong(gpu, claim);
  if (!gpu.why.empty()) {
    gpu.verdict = Verdict::kMismatch;
    return gpu;
  }
  gpu.why = WhyUnproven(gpu, shape);
  if (!gpu.why.empty()) {
    gpu.verdict = Verdict::kUnusable;
    return gpu;
  }
  gpu.why = reading.memory_mib > 0
                ? fmt::format("a whole {} with {} MiB", NameText(reading), reading.memory_mib)
                : fmt::format("a whole {}; its memory is not told", NameText(reading));
  return gpu;
}

std::vector<Finding> Remarks(const GpuFinding& gpu) {
  std::vector<Finding> remarks;
  const GpuReading& reading = gpu.reading;
  const auto add = [&](const char* name, const std::string& text) {
    remarks.push_back({name, Verdict::kWarning, fmt::format("GPU {}: {}", reading.index, text)});
  };
  if (gpu.verdict == Verdict::kOk && PowerBelow(gpu, kBelowPercent)) add("power", PowerText(gpu));
  if (gpu.verdict == Verdict::kOk && reading.memory_mib == 0)
    add("memory", "its memory is not told, so that a modified card would not be seen");
  if (reading.link_width > 0 && reading.link_width < reading.link_width_max)
    add("pcie", fmt::format("its link has {} of {} lanes: data comes more slowly",
                            reading.link_width, reading.link_width_max));
  for (const std::string& remark : reading.remarks) add("health", remark);
  return remarks;
}

}  // namespace pinka::hardware
