// The catalogue of cards: what the makers say of them, and what the guide says they cost. Facts as
// printed on data sheets; 0 and "" where nothing is known.
//
//   const Card* card = FindCard("a100-80");  // or "NVIDIA A100-SXM4-80GB", "3090", "T4"
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/version.h"

namespace pinka {

struct Card {
  std::string_view name;          // "A100 SXM4 80GB"
  std::string_view reported;      // as nvidia-smi prints it; several by '|'
  std::string_view architecture;  // "Ampere"
  int capability = 0;             // compute capability x 10: 86
  double memory_gib = 0;
  double fp32_tflops = 0;    // without tensor cores
  double fp16_tflops = 0;    // dense, on tensor cores; 0: it has none
  double bandwidth_gbs = 0;  // of its memory, GB a second
  double power_w = 0;
  bool bf16 = false;
  bool tensor_cores = false;  // mixed precision gains something
  bool mig = false;
  bool nvlink = false;
  std::string_view cuda_from;   // "11.1"
  std::string_view cuda_until;  // "": the newest know it
  // MiB as nvidia-smi shows them: of old and new drivers, with ECC and without. 0: none.
  std::array<int, 3> shown_mib{};
};

// The guide's table of 2023: yuan an hour when rented by the hour. `high` 0: and more.
struct GuidePrice {
  std::string_view card;
  double low = 0;
  double high = 0;
  std::string_view good_for;
};
inline constexpr int kGuidePricesYear = 2023;

// By memory, then by name.
std::span<const Card> Cards();
const GuidePrice* GuidePriceOf(const Card& card);  // null: the guide has none

// "a100-sxm4-80g": of letters, digits and dashes, unique.
std::string IdOf(const Card& card);
// By id, name, or what nvidia-smi reports, whatever its case and spelling; of several that a short
// form fits ("a100-80") the first of the catalogue. Null where none does.
const Card* FindCard(std::string_view name);
// All that a claim can mean: "a100-80" is two cards, "a10" is one. Empty where it means none.
std::vector<const Card*> CardsFor(std::string_view claim);
// By the whole name that nvidia-smi prints, with "NVIDIA " or without; null for any other.
const Card* CardReportedAs(std::string_view name);
// As a lab would name the card's tier: "a100-80", "rtx4090", "t4".
std::string TierNameOf(const Card& card);
// The driver that first knew the card: older ones refuse it.
Version DriverOfCard(const Card& card);
// Ids, for messages.
std::string NearestCard(std::string_view name);

}  // namespace pinka
