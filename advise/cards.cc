#include "advise/cards.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/text.h"

namespace pinka::advise {
namespace {

// clang-format off
constexpr Card kCards[] = {
    {.name = "M60", .reported = "Tesla M60",
     .architecture = "Maxwell", .capability = 52, .memory_gib = 8,
     .fp32_tflops = 4.8, .fp16_tflops = 0, .bandwidth_gbs = 160, .power_w = 150,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = false,
     .cuda_from = "6.5", .cuda_until = "12.9"},
    {.name = "RTX 3080", .reported = "NVIDIA GeForce RTX 3080|GeForce RTX 3080",
     .architecture = "Ampere", .capability = 86, .memory_gib = 10,
     .fp32_tflops = 29.77, .fp16_tflops = 119, .bandwidth_gbs = 760, .power_w = 320,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = ""},
    {.name = "RTX 2080 Ti", .reported = "NVIDIA GeForce RTX 2080 Ti|GeForce RTX 2080 Ti",
     .architecture = "Turing", .capability = 75, .memory_gib = 11,
     .fp32_tflops = 13.45, .fp16_tflops = 107.6, .bandwidth_gbs = 616, .power_w = 250,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "10.0", .cuda_until = ""},
    {.name = "RTX 3060", .reported = "NVIDIA GeForce RTX 3060|GeForce RTX 3060",
     .architecture = "Ampere", .capability = 86, .memory_gib = 12,
     .fp32_tflops = 12.74, .fp16_tflops = 51, .bandwidth_gbs = 360, .power_w = 170,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = ""},
    {.name = "P100 PCIe 16GB", .reported = "Tesla P100-PCIE-16GB",
     .architecture = "Pascal", .capability = 60, .memory_gib = 16,
     .fp32_tflops = 9.34, .fp16_tflops = 0, .bandwidth_gbs = 732, .power_w = 250,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = false,
     .cuda_from = "8.0", .cuda_until = "12.9"},
    {.name = "P100 SXM2", .reported = "Tesla P100-SXM2-16GB",
     .architecture = "Pascal", .capability = 60, .memory_gib = 16,
     .fp32_tflops = 10.6, .fp16_tflops = 0, .bandwidth_gbs = 732, .power_w = 300,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = true,
     .cuda_from = "8.0", .cuda_until = "12.9"},
    {.name = "T4", .reported = "Tesla T4|NVIDIA T4",
     .architecture = "Turing", .capability = 75, .memory_gib = 16,
     .fp32_tflops = 8.1, .fp16_tflops = 64.8, .bandwidth_gbs = 320, .power_w = 70,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "10.0", .cuda_until = ""},
    {.name = "V100 PCIe 16GB", .reported = "Tesla V100-PCIE-16GB|Tesla V100-FHHL-16GB",
     .architecture = "Volta", .capability = 70, .memory_gib = 16,
     .fp32_tflops = 14.03, .fp16_tflops = 112, .bandwidth_gbs = 900, .power_w = 250,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "9.0", .cuda_until = "12.9"},
    {.name = "V100 SXM2 16GB", .reported = "Tesla V100-SXM2-16GB",
     .architecture = "Volta", .capability = 70, .memory_gib = 16,
     .fp32_tflops = 15.7, .fp16_tflops = 125, .bandwidth_gbs = 900, .power_w = 300,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = true,
     .cuda_from = "9.0", .cuda_until = "12.9"},
    {.name = "A10", .reported = "NVIDIA A10|A10",
     .architecture = "Ampere", .capability = 86, .memory_gib = 24,
     .fp32_tflops = 31.24, .fp16_tflops = 125, .bandwidth_gbs = 600, .power_w = 150,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = ""},
    {.name = "A10G", .reported = "NVIDIA A10G|A10G",
     .architecture = "Ampere", .capability = 86, .memory_gib = 24,
     .fp32_tflops = 31.5, .fp16_tflops = 0, .bandwidth_gbs = 600, .power_w = 0,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = ""},
    {.name = "A30", .reported = "NVIDIA A30|A30",
     .architecture = "Ampere", .capability = 80, .memory_gib = 24,
     .fp32_tflops = 10.32, .fp16_tflops = 165.1, .bandwidth_gbs = 933, .power_w = 165,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.0", .cuda_until = ""},
    {.name = "L4", .reported = "NVIDIA L4",
     .architecture = "Ada", .capability = 89, .memory_gib = 24,
     .fp32_tflops = 30.3, .fp16_tflops = 121, .bandwidth_gbs = 300, .power_w = 72,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "P40", .reported = "Tesla P40",
     .architecture = "Pascal", .capability = 61, .memory_gib = 24,
     .fp32_tflops = 11.76, .fp16_tflops = 0, .bandwidth_gbs = 346, .power_w = 250,
     .bf16 = false, .tensor_cores = false, .mig = false, .nvlink = false,
     .cuda_from = "8.0", .cuda_until = "12.9"},
    {.name = "RTX 3090", .reported = "NVIDIA GeForce RTX 3090|GeForce RTX 3090",
     .architecture = "Ampere", .capability = 86, .memory_gib = 24,
     .fp32_tflops = 35.58, .fp16_tflops = 142.7, .bandwidth_gbs = 935.8, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = ""},
    {.name = "RTX 4090", .reported = "NVIDIA GeForce RTX 4090|GeForce RTX 4090",
     .architecture = "Ada", .capability = 89, .memory_gib = 24,
     .fp32_tflops = 82.6, .fp16_tflops = 330, .bandwidth_gbs = 1008, .power_w = 450,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "RTX 4090 D", .reported = "NVIDIA GeForce RTX 4090 D|GeForce RTX 4090 D",
     .architecture = "Ada", .capability = 89, .memory_gib = 24,
     .fp32_tflops = 73.5, .fp16_tflops = 294, .bandwidth_gbs = 1008, .power_w = 425,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "RTX 5090", .reported = "NVIDIA GeForce RTX 5090",
     .architecture = "Blackwell", .capability = 120, .memory_gib = 32,
     .fp32_tflops = 104.8, .fp16_tflops = 419, .bandwidth_gbs = 1792, .power_w = 575,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "12.8", .cuda_until = ""},
    {.name = "V100 PCIe 32GB", .reported = "Tesla V100-PCIE-32GB|Tesla V100S-PCIE-32GB",
     .architecture = "Volta", .capability = 70, .memory_gib = 32,
     .fp32_tflops = 14.03, .fp16_tflops = 112, .bandwidth_gbs = 900, .power_w = 250,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "9.0", .cuda_until = "12.9"},
    {.name = "V100 SXM2 32GB", .reported = "Tesla V100-SXM2-32GB|Tesla V100-SXM3-32GB|Tesla V100-SXM2-32GB-LS",
     .architecture = "Volta", .capability = 70, .memory_gib = 32,
     .fp32_tflops = 15.7, .fp16_tflops = 125, .bandwidth_gbs = 900, .power_w = 300,
     .bf16 = false, .tensor_cores = true, .mig = false, .nvlink = true,
     .cuda_from = "9.0", .cuda_until = "12.9"},
    {.name = "A100 PCIe 40GB", .reported = "NVIDIA A100-PCIE-40GB|A100-PCIE-40GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 40,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1555, .power_w = 250,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.0", .cuda_until = ""},
    {.name = "A100 SXM4 40GB", .reported = "NVIDIA A100-SXM4-40GB|A100-SXM4-40GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 40,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1555, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = ""},
    {.name = "A40", .reported = "NVIDIA A40|A40",
     .architecture = "Ampere", .capability = 86, .memory_gib = 48,
     .fp32_tflops = 37.42, .fp16_tflops = 149.7, .bandwidth_gbs = 695.8, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.1", .cuda_until = ""},
    {.name = "L20", .reported = "NVIDIA L20",
     .architecture = "Ada", .capability = 89, .memory_gib = 48,
     .fp32_tflops = 59.8, .fp16_tflops = 119.5, .bandwidth_gbs = 864, .power_w = 275,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "L40", .reported = "NVIDIA L40",
     .architecture = "Ada", .capability = 89, .memory_gib = 48,
     .fp32_tflops = 90.5, .fp16_tflops = 181, .bandwidth_gbs = 864, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "L40S", .reported = "NVIDIA L40S",
     .architecture = "Ada", .capability = 89, .memory_gib = 48,
     .fp32_tflops = 91.6, .fp16_tflops = 362, .bandwidth_gbs = 864, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = false, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "A100 PCIe 80GB", .reported = "NVIDIA A100 80GB PCIe|A100 80GB PCIe",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1935, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.0", .cuda_until = ""},
    {.name = "A100 SXM4 80GB", .reported = "NVIDIA A100-SXM4-80GB|A100-SXM4-80GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 2039, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = ""},
    {.name = "A800 PCIe 80GB", .reported = "NVIDIA A800 80GB PCIe|A800 80GB PCIe",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 1935, .power_w = 300,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = ""},
    {.name = "A800 SXM4 80GB", .reported = "NVIDIA A800-SXM4-80GB|A800-SXM4-80GB",
     .architecture = "Ampere", .capability = 80, .memory_gib = 80,
     .fp32_tflops = 19.5, .fp16_tflops = 312, .bandwidth_gbs = 2039, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.0", .cuda_until = ""},
    {.name = "H100 PCIe", .reported = "NVIDIA H100 PCIe",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 51, .fp16_tflops = 756, .bandwidth_gbs = 2039, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "H100 SXM5", .reported = "NVIDIA H100 80GB HBM3",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 67, .fp16_tflops = 989, .bandwidth_gbs = 3350, .power_w = 700,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "H800 PCIe", .reported = "NVIDIA H800 PCIe",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 51, .fp16_tflops = 756, .bandwidth_gbs = 2000, .power_w = 350,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "H800 SXM", .reported = "NVIDIA H800",
     .architecture = "Hopper", .capability = 90, .memory_gib = 80,
     .fp32_tflops = 67, .fp16_tflops = 989, .bandwidth_gbs = 3350, .power_w = 700,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "H100 NVL", .reported = "NVIDIA H100 NVL",
     .architecture = "Hopper", .capability = 90, .memory_gib = 94,
     .fp32_tflops = 60, .fp16_tflops = 835, .bandwidth_gbs = 3900, .power_w = 400,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = false,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "H20", .reported = "NVIDIA H20",
     .architecture = "Hopper", .capability = 90, .memory_gib = 96,
     .fp32_tflops = 44, .fp16_tflops = 148, .bandwidth_gbs = 4000, .power_w = 500,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "H200 SXM", .reported = "NVIDIA H200",
     .architecture = "Hopper", .capability = 90, .memory_gib = 141,
     .fp32_tflops = 67, .fp16_tflops = 989, .bandwidth_gbs = 4800, .power_w = 700,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "11.8", .cuda_until = ""},
    {.name = "B200", .reported = "NVIDIA B200",
     .architecture = "Blackwell", .capability = 100, .memory_gib = 180,
     .fp32_tflops = 80, .fp16_tflops = 2250, .bandwidth_gbs = 8000, .power_w = 1000,
     .bf16 = true, .tensor_cores = true, .mig = true, .nvlink = true,
     .cuda_from = "12.8", .cuda_until = ""},
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

constexpr Observation kObservations[] = {
    {"RTX 3090",
     "the guide calls five of them for a sweep cheaper than one A100; by its own table five cost "
     "17.50 to 21.00 an hour and one A100 of 40 GB 12.00 to 15.00"},
    {"H100 PCIe", "the guide gives it 51.8 TFLOPS of fp32, a little more than its data sheet"},
    {"RTX 4090",
     "the guide (2023) saw it train only about 15 % faster than a 3090 on most clouds, whose "
     "drivers were not tuned for it: measure before paying for its data sheet"},
    {"P100 PCIe 16GB",
     "the guide tells of three days of money burnt on a Transformer that never fitted in its "
     "memory"},
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

}  // namespace

std::span<const Card> Cards() { return kCards; }
std::span<const Observation> Observations() { return kObservations; }

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
  for (const Card& card : kCards) {
    if (ShortFor(card, plain)) return &card;
  }
  for (const Card& card : kCards) {
    const std::string known = Plain(card.name);
    const bool begins = known.starts_with(plain) && plain.size() >= 2;
    // "309" is not the beginning of 3090.
    if (begins && !std::isdigit(static_cast<unsigned char>(known[plain.size()]))) return &card;
  }
  return nullptr;
}

std::string NearestCard(std::string_view name) {
  std::vector<std::string> ids;
  for (const Card& card : kCards) ids.push_back(IdOf(card));
  return Nearest(name, ids);
}

double ComputeOf(const Card& card, bool sixteen_bit) {
  return sixteen_bit && card.fp16_tflops > 0 ? card.fp16_tflops : card.fp32_tflops;
}

double UsableGib(const Card& card) {
  constexpr double kKept = 0.6;         // context of others, display, fragments (measured)
  constexpr double kOfNominal = 0.975;  // nvidia-smi shows less than the name says
  return std::max(card.memory_gib * kOfNominal - kKept, 0.0);
}

}  // namespace pinka::advise
