#include "advise/compat.h"

#include <algorithm>
#include <iterator>

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka::advise {
namespace {

struct Toolkit {
  Version cuda;
  Version driver;  // that comes with the first release of it
};
// NVIDIA CUDA release notes, table 3.
constexpr Toolkit kToolkits[] = {
    {{9, 0}, {384, 81}},      {{9, 1}, {390, 46}},      {{9, 2}, {396, 26}},
    {{10, 0}, {410, 48}},     {{10, 1}, {418, 39}},     {{10, 2}, {440, 33}},
    {{11, 0}, {450, 51, 5}},  {{11, 1}, {455, 23}},     {{11, 2}, {460, 27, 3}},
    {{11, 3}, {465, 19, 1}},  {{11, 4}, {470, 42, 1}},  {{11, 5}, {495, 29, 5}},
    {{11, 6}, {510, 39, 1}},  {{11, 7}, {515, 43, 4}},  {{11, 8}, {520, 61, 5}},
    {{12, 0}, {525, 60, 13}}, {{12, 1}, {530, 30, 2}},  {{12, 2}, {535, 54, 3}},
    {{12, 3}, {545, 23, 6}},  {{12, 4}, {550, 54, 14}}, {{12, 5}, {555, 42, 2}},
    {{12, 6}, {560, 28, 3}},  {{12, 8}, {570, 26}},     {{12, 9}, {575, 51, 3}},
    {{13, 0}, {580, 65, 6}},  {{13, 1}, {590, 44, 1}},
};

// What any minor version of a major one needs.
constexpr Toolkit kMinorVersion[] = {
    {{11, 0}, {450, 80, 2}}, {{12, 0}, {525, 60, 13}}, {{13, 0}, {580, 0}}};

struct Release {
  std::string_view torch;
  std::string_view stable[3];
  std::string_view experimental;
  std::string_view python;
};
// PyTorch RELEASE.md, newest first.
constexpr Release kReleases[] = {
    {"2.14", {"12.6", "13.0", "13.2"}, "", "3.10 to 3.15"},
    {"2.13", {"12.6", "13.0", ""}, "13.2", "3.10 and later"},
    {"2.12", {"12.6", "13.0", ""}, "13.2", "3.10 and later"},
    {"2.11", {"12.6", "12.8", "13.0"}, "", "3.10 and later"},
    {"2.10", {"12.6", "12.8", ""}, "13.0", "3.10 and later"},
    {"2.9", {"12.6", "12.8", ""}, "13.0", "3.10 and later"},
    {"2.8", {"12.6", "12.8", ""}, "12.9", "3.9 to 3.13"},
    {"2.7", {"11.8", "12.6", ""}, "12.8", "3.9 to 3.13"},
    {"2.6", {"11.8", "12.4", ""}, "12.6", "3.9 to 3.13"},
    {"2.5", {"11.8", "12.1", "12.4"}, "", "3.9 to 3.12"},
    {"2.4", {"11.8", "12.1", ""}, "12.4", "3.8 to 3.12"},
    {"2.3", {"11.8", "", ""}, "12.1", "3.8 to 3.11"},
    {"2.2", {"11.8", "", ""}, "12.1", "3.8 to 3.11"},
    {"2.1", {"11.8", "", ""}, "12.1", "3.8 to 3.11"},
    {"2.0", {"11.7", "", ""}, "11.8", "3.8 to 3.11"},
    {"1.13", {"11.6", "", ""}, "11.7", "3.7 to 3.10"},
    {"1.12", {"11.3", "", ""}, "11.6", "3.7 to 3.10"},
};

// The lowest and highest compute capability that a wheel has kernels for.
struct Kernels {
  int from = 0;
  int to = 0;
};

Kernels KernelsOf(const Version& cuda) {
  if (cuda >= Version{13, 0}) return {75, 120};
  if (cuda >= Version{12, 8}) return {70, 120};
  if (cuda >= Version{11, 8}) return {50, 90};
  return {37, 86};
}

std::string PrintCapability(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

Version CudaOf(std::string_view text) {
  const StatusOr<Version> v = ParseVersion(text);
  return v.ok() ? *v : Version{};
}

// Ada runs what was built for 8.6; kernels for 9.0 run on nothing older.
bool HasKernel(const Kernels& kernels, int capability) {
  const int as = capability == 89 ? 86 : capability;
  return as >= kernels.from && as <= kernels.to;
}

void Judge(const Card& card, std::optional<Version> driver, Wheel* wheel) {
  const Version cuda = CudaOf(wheel->cuda);
  const Kernels kernels = KernelsOf(cuda);
  if (!HasKernel(kernels, card.capability)) {
    wheel->why = card.capability < kernels.from
                     ? fmt::format("has no kernels below {}; this card is {}",
                                   PrintCapability(kernels.from), PrintCapability(card.capability))
                     : fmt::format(
                           "knows no card above {}; this one is {} (\"no kernel image is "
                           "available\")",
                           PrintCapability(kernels.to), PrintCapability(card.capability));
    return;
  }
  const auto needs = DriverFor(wheel->cuda, true);
  if (driver && needs && *driver < *needs) {
    wheel->why = fmt::format("needs driver {} or later", Print(*needs));
    return;
  }
  wheel->runs = true;
  const auto own = DriverFor(wheel->cuda, false);
  if (driver && own && *driver < *own)
    wheel->why = "by minor-version compatibility: torch.compile may fail on code for a newer PTX";
}

void AddNotes(const Card& card, std::optional<Version> driver, Compatibility* c) {
  if (driver && *driver < DriverOfCard(card))
    c->notes.push_back(fmt::format("driver {} does not know this card yet: it needs {} or later",
                                   Print(*driver), Print(DriverOfCard(card))));
  if (!card.cuda_until.empty())
    c->notes.push_back(
        fmt::format("CUDA {} is the last that knows {} cards, and 580 the last driver",
                    card.cuda_until, card.architecture));
  if (!card.tensor_cores)
    c->notes.push_back("no tensor cores: mixed precision saves some memory and no time");
  if (!card.bf16)
    c->notes.push_back("no native bf16: autocast to fp16 instead, with a gradient scaler");
}

}  // namespace

std::optional<Version> DriverFor(std::string_view cuda, bool for_wheel) {
  const Version wanted = CudaOf(cuda);
  if (for_wheel) {
    for (const Toolkit& t : kMinorVersion) {
      if (t.cuda.major == wanted.major) return t.driver;
    }
  }
  for (const Toolkit& t : kToolkits) {
    if (t.cuda == wanted) return t.driver;
  }
  return std::nullopt;
}

std::string WhatCudaForbids(const Version& cuda) {
  if (cuda >= Version{11, 0}) return "";
  return fmt::format(
      "CUDA {}.{} is below 11.0: PyTorch 1.8 and later have no build for it. A wheel brings its "
      "own "
      "CUDA and needs only the driver",
      cuda.major, cuda.minor);
}

Compatibility Compatible(const Card& card, std::optional<Version> driver) {
  Compatibility c;
  for (const Release& release : kReleases) {
    std::vector<Wheel> of;
    const auto add = [&](std::string_view cuda, bool experimental) {
      if (cuda.empty()) return;
      Wheel& wheel = of.emplace_back();
      wheel.torch = release.torch;
      wheel.cuda = cuda;
      wheel.wheel = "cu" + std::string(cuda.substr(0, 2)) + std::string(cuda.substr(3));
      wheel.python = release.python;
      wheel.experimental = experimental;
      Judge(card, driver, &wheel);
    };
    for (const std::string_view cuda : release.stable) add(cuda, false);
    add(release.experimental, true);
    std::ranges::sort(of, std::ranges::greater(), [](const Wheel& w) { return CudaOf(w.cuda); });
    for (Wheel& wheel : of) c.wheels.push_back(std::move(wheel));
  }
  const bool known = !driver || *driver >= DriverOfCard(card);
  const auto better = [](const Wheel& w) { return w.runs && !w.experimental; };
  const auto found = std::ranges::find_if(c.wheels, better);
  if (known && found != c.wheels.end()) c.newest = *found;
  if (!known) {
    for (Wheel& wheel : c.wheels) wheel.runs = false;
  }
  for (const Toolkit& t : kToolkits) {
    const Version last = card.cuda_until.empty() ? Version{99, 0} : CudaOf(card.cuda_until);
    if ((!driver || *driver >= t.driver) && t.cuda <= last && t.cuda >= CudaOf(card.cuda_from))
      c.cuda_most = fmt::format("{}.{}", t.cuda.major, t.cuda.minor);
  }
  AddNotes(card, driver, &c);
  return c;
}

}  // namespace pinka::advise
