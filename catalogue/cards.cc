#include "catalogue/cards.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/text.h"

namespace pinka {
namespace {

// clang-format off
constexpr Card kCards[] = {
    {.name = "M60", .reported = "Tesla M60",
     .architecture = "Maxwell", .capability = 52, .memory_gib = 8,
     .fp32_tflops = 4.8, .fp16_tflops = 0, .bandwidth_gbs = 160, .power_w = 150,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = false,
     .cuda_from = "6.5", .cuda_until = "12.9", .shown_mib = {}},
    {.name = "RTX 3080", .reported = "NVIDIA GeForce RTX 3080|GeForce RTX 3080",
     .architecture = "Ampere", .capability = 86, .memory_gib = 10,
     .fp32_tflops = 29.77, .fp16_tflops = 119, .bandwidth_gbs = 760, .power_w = 320,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = "", .shown_mib = {10240}},
    {.name = "RTX 2080 Ti", .reported = "NVIDIA GeForce RTX 2080 Ti|GeForce RTX 2080 Ti",
     .architecture = "Turing", .capability = 75, .memory_gib = 11,
     .fp32_tflops = 13.45, .fp16_tflops = 107.6, .bandwidth_gbs = 616, .power_w = 250,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "10.0", .cuda_until = "", .shown_mib = {10989, 11019, 11264}},
    {.name = "RTX 3060", .reported = "NVIDIA GeForce RTX 3060|GeForce RTX 3060",
     .architecture = "Ampere", .capability = 86, .memory_gib = 12,
     .fp32_tflops = 12.74, .fp16_tflops = 51, .bandwidth_gbs = 360, .power_w = 170,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = "", .shown_mib = {12288}},
    {.name = "P100 PCIe 16GB", .reported = "Tesla P100-PCIE-16GB",
     .architecture = "Pascal", .capability = 60, .memory_gib = 16,
     .fp32_tflops = 9.34, .fp16_tflops = 0, .bandwidth_gbs = 732, .power_w = 250,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = false,
     .cuda_from = "8.0", .cuda_until = "12.9", .shown_mib = {16280}},
    {.name = "P100 SXM2", .reported = "Tesla P100-SXM2-16GB",
     .architecture = "Pascal", .capability = 60, .memory_gib = 16,
     .fp32_tflops = 10.6, .fp16_tflops = 0, .bandwidth_gbs = 732, .power_w = 300,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = true,
     .cuda_from = "8.0", .cuda_until = "12.9", .shown_mib = {16280}},
    {.name = "T4", .reported = "Tesla T4|NVIDIA T4",
     .architecture = "Turing", .capability = 75, .memory_gib = 16,
     .fp32_tflops = 8.1, .fp16_tflops = 64.8, .bandwidth_gbs = 320, .power_w = 70,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "10.0", .cuda_until = "", .shown_mib = {15109, 15360}},
    {.name = "V100 PCIe 16GB", .reported = "Tesla V100-PCIE-16GB|Tesla V100-FHHL-16GB",
     .architecture = "Volta", .capability = 70, .memory_gib = 16,
     .fp32_tflops = 14.03, .fp16_tflops = 112, .bandwidth_gbs = 900, .power_w = 250,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "9.0", .cuda_until = "12.9", .shown_mib = {16160, 16384}},
    {.name = "V100 SXM2 16GB", .reported = "Tesla V100-SXM2-16GB",
     .architecture = "Volta", .capability = 70, .memory_gib = 16,
     .fp32_tflops = 15.7, .fp16_tflops = 125, .bandwidth_gbs = 900, .power_w = 300,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = true,
     .cuda_from = "9.0", .cuda_until = "12.9", .shown_mib = {16160, 16384}},
    {.name = "A10", .reported = "NVIDIA A10|A10",
     .architecture = "Ampere", .capability = 86, .memory_gib = 24,
     .fp32_tflops = 31.24, .fp16_tflops = 125, .bandwidth_gbs = 600, .power_w = 150,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = "", .shown_mib = {23028, 24564}},
    {.name = "A10G", .reported = "NVIDIA A10G|A10G",
     .architecture = "Ampere", .capability = 86, .memory_gib = 24,
     .fp32_tflops = 31.5, .fp16_tflops = 0, .bandwidth_gbs = 600, .power_w = 0,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = "", .shown_mib = {23028}},
    {.name = "A30", .reported = "NVIDIA A30|A30",
     .architecture = "Ampere", .capability = 80, .memory_gib = 24,
     .fp32_tflops = 10.32, .fp16_tflops = 165.1, .bandwidth_gbs = 933, .power_w = 165,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.0", .cuda_until = "", .shown_mib = {24576}},
    {.name = "L4", .reported = "NVIDIA L4",
     .architecture = "Ada", .capability = 89, .memory_gib = 24,
     .fp32_tflops = 30.3, .fp16_tflops = 121, .bandwidth_gbs = 300, .power_w = 72,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {23034}},
    {.name = "P40", .reported = "Tesla P40",
     .architecture = "Pascal", .capability = 61, .memory_gib = 24,
     .fp32_tflops = 11.76, .fp16_tflops = 0, .bandwidth_gbs = 346, .power_w = 250,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = false,
     .cuda_from = "8.0", .cuda_until = "12.9", .shown_mib = {22919, 24451}},
    {.name = "RTX 3090", .reported = "NVIDIA GeForce RTX 3090|GeForce RTX 3090",
     .architecture = "Ampere", .capability = 86, .memory_gib = 24,
     .fp32_tflops = 35.58, .fp16_tflops = 142.7, .bandwidth_gbs = 935.8, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = "", .shown_mib = {24576}},
    {.name = "RTX 4090", .reported = "NVIDIA GeForce RTX 4090|GeForce RTX 4090",
     .architecture = "Ada", .capability = 89, .memory_gib = 24,
     .fp32_tflops = 82.6, .fp16_tflops = 330, .bandwidth_gbs = 1008, .power_w = 450,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {24564}},
    {.name = "RTX 4090 D", .reported = "NVIDIA GeForce RTX 4090 D|GeForce RTX 4090 D",
     .architecture = "Ada", .capability = 89, .memory_gib = 24,
     .fp32_tflops = 73.5, .fp16_tflops = 294, .bandwidth_gbs = 1008, .power_w = 425,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {24564}},
    {.name = "RTX 5090", .reported = "NVIDIA GeForce RTX 5090",
     .architecture = "Blackwell", .capability = 120, .memory_gib = 32,
     .fp32_tflops = 104.8, .fp16_tflops = 419, .bandwidth_gbs = 1792, .power_w = 575,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "12.8", .cuda_until = "", .shown_mib = {32607}},
    {.name = "V100 PCIe 32GB", .reported = "Tesla V100-PCIE-32GB|Tesla V100S-PCIE-32GB",
     .architecture = "Volta", .capability = 70, .memory_gib = 32,
     .fp32_tflops = 14.03, .fp16_tflops = 112, .bandwidth_gbs = 900, .power_w = 250,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "9.0", .cuda_until = "12.9", .shown_mib = {32510, 32768}},
    {.name = "V100 SXM2 32GB", .reported = "Tesla V100-SXM2-32GB|Tesla V100-SXM3-32GB|Tesla V100-SXM2-32GB-LS",
     .architecture = "Volta", .capability = 70, .memory_gib = 32,
     .fp32_tflops = 15.7, .fp16_tflops = 125, .bandwidth_gbs = 900, .power_w = 300,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = true,
     .cuda_from = "9.0", .cuda_until = "12.9", .shown_mib = {32510, 32768}},
    {.name = "A100 PCIe 40GB", .reported = "NVIDIA A100-PCIE-40GB|A100-PCIE-40GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 40,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1555, .power_w = 250,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.0", .cuda_until = "", .shown_mib = {40536, 40960}},
    {.name = "A100 SXM4 40GB", .reported = "NVIDIA A100-SXM4-40GB|A100-SXM4-40GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 40,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1555, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = "", .shown_mib = {40536, 40960}},
    {.name = "A40", .reported = "NVIDIA A40|A40",
     .architecture = "Ampere", .capability = 86, .memory_gib = 48,
     .fp32_tflops = 37.42, .fp16_tflops = 149.7, .bandwidth_gbs = 695.8, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = "", .shown_mib = {46068, 49140}},
    {.name = "L20", .reported = "NVIDIA L20",
     .architecture = "Ada", .capability = 89, .memory_gib = 48,
     .fp32_tflops = 59.8, .fp16_tflops = 119.5, .bandwidth_gbs = 864, .power_w = 275,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {46068}},
    {.name = "L40", .reported = "NVIDIA L40",
     .architecture = "Ada", .capability = 89, .memory_gib = 48,
     .fp32_tflops = 90.5, .fp16_tflops = 181, .bandwidth_gbs = 864, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {46068}},
    {.name = "L40S", .reported = "NVIDIA L40S",
     .architecture = "Ada", .capability = 89, .memory_gib = 48,
     .fp32_tflops = 91.6, .fp16_tflops = 362, .bandwidth_gbs = 864, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {46068}},
    {.name = "A100 PCIe 80GB", .reported = "NVIDIA A100 80GB PCIe|A100 80GB PCIe",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1935, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.0", .cuda_until = "", .shown_mib = {81251, 81920}},
    {.name = "A100 SXM4 80GB", .reported = "NVIDIA A100-SXM4-80GB|A100-SXM4-80GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 2039, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = "", .shown_mib = {81251, 81920}},
    {.name = "A800 PCIe 80GB", .reported = "NVIDIA A800 80GB PCIe|A800 80GB PCIe",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1935, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = "", .shown_mib = {81920}},
    {.name = "A800 SXM4 80GB", .reported = "NVIDIA A800-SXM4-80GB|A800-SXM4-80GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 2039, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = "", .shown_mib = {81920}},
    {.name = "H100 PCIe", .reported = "NVIDIA H100 PCIe",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 51, .fp16_tflops = 756, .bandwidth_gbs = 2039, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {81559}},
    {.name = "H100 SXM5", .reported = "NVIDIA H100 80GB HBM3",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 67, .fp16_tflops = 989, .bandwidth_gbs = 3350, .power_w = 700,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {81559}},
    {.name = "H800 PCIe", .reported = "NVIDIA H800 PCIe",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 51, .fp16_tflops = 756, .bandwidth_gbs = 2000, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {81559}},
    {.name = "H800 SXM", .reported = "NVIDIA H800",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 67, .fp16_tflops = 989, .bandwidth_gbs = 3350, .power_w = 700,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {81559}},
    {.name = "H100 NVL", .reported = "NVIDIA H100 NVL",
     .architecture = "Hopper", .capability = 90, .memory_gib = 94,
     .fp32_tflops = 60, .fp16_tflops = 835, .bandwidth_gbs = 3900, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {95830}},
    {.name = "H20", .reported = "NVIDIA H20",
     .architecture = "Hopper", .capability = 90, .memory_gib = 96,
     .fp32_tflops = 44, .fp16_tflops = 148, .bandwidth_gbs = 4000, .power_w = 500,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {97871}},
    {.name = "H200 SXM", .reported = "NVIDIA H200",
     .architecture = "Hopper", .capability = 90, .memory_gib = 141,
     .fp32_tflops = 67, .fp16_tflops = 989, .bandwidth_gbs = 4800, .power_w = 700,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = "", .shown_mib = {143771}},
    {.name = "B200", .reported = "NVIDIA B200",
     .architecture = "Blackwell", .capability = 100, .memory_gib = 180,
     .fp32_tflops = 80, .fp16_tflops = 2250, .bandwidth_gbs = 8000, .power_w = 1000,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "12.8", .cuda_until = "", .shown_mib = {183359}},
};
// clang-format on

constexpr GuidePrice kGuidePrices[] = {
    {"T4", 1.2, 1.8, "inference, fine-tuning small models"},
    {"RTX 3090", 3.5, 4.2, "vision and language models of middle size"},
    {"A100 PCIe 40GB", 12, 15, "training large models"},
    {"A100 SXM4 40GB", 12, 15, "training large models"},
    {"A100 PCIe 80GB", 18, 22, "models that 40 GB do not hold"},
    {"A100 SXM4 80GB", 18, 22, "models that 40 GB do not hold"},
    {"H100 PCIe", 45, 0, "frontier research with the budget for it"},
    {"H100 SXM5", 45, 0, "frontier research with the budget for it"},
};

// Letters and digits only, in lower case, without makers and brands.
std::string Plain(std::string_view text) {
  std::string word;
  std::string out;
  const auto flush = [&] {
    const bool noise = word == "nvidia" || word == "geforce" || word == "tesla" || word == "rtx";
    if (!noise) out += word;
    word.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      flush();
    }
  }
  flush();
  if (out.starts_with("rtx")) out.erase(0, 3);
  // "80gb" and "80g" are "80".
  std::string without;
  for (size_t i = 0; i < out.size(); ++i) {
    const bool unit = i > 0 && std::isdigit(static_cast<unsigned char>(out[i - 1])) &&
                      out.compare(i, 2, "gb") == 0;
    if (unit) {
      ++i;
      continue;
    }
    const bool g = i > 0 && i + 1 == out.size() && out[i] == 'g' &&
                   std::isdigit(static_cast<unsigned char>(out[i - 1])) && out != "a10g";
    if (!g) without += out[i];
  }
  return without;
}

bool Reported(const Card& card, const std::string& plain) {
  std::string_view rest = card.reported;
  for (;;) {
    const size_t bar = rest.find('|');
    if (Plain(rest.substr(0, bar)) == plain) return true;
    if (bar == std::string_view::npos) return false;
    rest.remove_prefix(bar + 1);
  }
}

// Whether all of `plain` stands in the card's name, in order: "a10080" in "a100sxm480".
bool ShortFor(const Card& card, const std::string& plain) {
  const std::string name = Plain(card.name);
  if (name.empty() || plain.empty() || name[0] != plain[0]) return false;
  size_t head = 0;  // the model itself is written out
  while (head < plain.size() && head < name.size() && name[head] == plain[head]) ++head;
  // What is left comes after it: "a100" is no short form of A10.
  return head >= 3 && head < plain.size() && name.substr(head).ends_with(plain.substr(head));
}

// Whether the card's name goes on where `plain` ends. "309" is not the beginning of 3090.
bool Begins(const Card& card, const std::string& plain) {
  const std::string known = Plain(card.name);
  return known.size() > plain.size() && known.starts_with(plain) && plain.size() >= 2 &&
         !std::isdigit(static_cast<unsigned char>(known[plain.size()]));
}

// The model without form factor and memory: "a100", "rtx4090d".
std::string BaseOf(const Card& card) {
  std::string base;
  for (std::string_view rest = card.name; !rest.empty();) {
    const size_t space = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, space);
    const bool form =
        word.starts_with("SXM") || word == "PCIe" || word == "NVL" || word.ends_with("GB");
    if (!form) {
      for (const char c : word) {
        base += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return base;
}

}  // namespace

std::span<const Card> Cards() { return kCards; }

const GuidePrice* GuidePriceOf(const Card& card) {
  const auto* found = std::ranges::find(kGuidePrices, card.name, &GuidePrice::card);
  return found == std::end(kGuidePrices) ? nullptr : found;
}

std::string IdOf(const Card& card) {
  std::string id;
  for (const char c : card.name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  if (id.starts_with("rtx-")) id.erase(3, 1);
  if (id.ends_with("gb")) id.pop_back();
  return id;
}

const Card* FindCard(std::string_view name) {
  const std::string plain = Plain(name);
  if (plain.empty()) return nullptr;
  for (const Card& card : kCards) {
    if (Plain(card.name) == plain || Reported(card, plain)) return &card;
  }
  const std::vector<const Card*> cards = CardsFor(name);
  return cards.empty() ? nullptr : cards.front();
}

std::vector<const Card*> CardsFor(std::string_view claim) {
  const std::string plain = Plain(claim);
  std::vector<const Card*> cards;
  if (plain.empty()) return cards;
  const auto add = [&](auto fits) {
    if (!cards.empty()) return;
    for (const Card& card : kCards) {
      if (fits(card)) cards.push_back(&card);
    }
  };
  add([&](const Card& card) {
    return Plain(card.name) == plain || Reported(card, plain) || Plain(TierNameOf(card)) == plain;
  });
  add([&](const Card& card) { return ShortFor(card, plain); });
  add([&](const Card& card) { return Begins(card, plain); });
  return cards;
}

const Card* CardReportedAs(std::string_view name) {
  const auto bare = [](std::string_view text) {
    constexpr std::string_view kMaker = "NVIDIA ";
    return text.starts_with(kMaker) ? text.substr(kMaker.size()) : text;
  };
  for (const Card& card : kCards) {
    for (std::string_view rest = card.reported; !rest.empty();) {
      const size_t bar = std::min(rest.find('|'), rest.size());
      if (bare(rest.substr(0, bar)) == bare(name)) return &card;
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
  return nullptr;
}

std::string TierNameOf(const Card& card) {
  const std::string base = BaseOf(card);
  const bool several = std::ranges::any_of(kCards, [&](const Card& other) {
    return BaseOf(other) == base && other.memory_gib != card.memory_gib;
  });
  return several ? base + "-" + std::to_string(static_cast<int>(card.memory_gib)) : base;
}

std::string NearestCard(std::string_view name) {
  std::vector<std::string> ids;
  for (const Card& card : kCards) ids.push_back(IdOf(card));
  return Nearest(name, ids);
}

Version DriverOfCard(const Card& card) {
  if (card.capability >= 100) return {570, 0};
  if (card.capability >= 89) return {520, 61, 5};
  if (card.capability >= 86) return {455, 23};
  if (card.capability >= 80) return {450, 36, 6};
  return {};
}

}  // namespace pinka
