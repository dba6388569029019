#include "advise/cards.h"

#include <algorithm>

namespace pinka::advise {
namespace {

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

}  // namespace

std::span<const Observation> Observations() { return kObservations; }

double ComputeOf(const Card& card, bool sixteen_bit) {
  return sixteen_bit && card.fp16_tflops > 0 ? card.fp16_tflops : card.fp32_tflops;
}

double UsableGib(const Card& card) {
  constexpr double kKept = 0.6;         // context of others, display, fragments (measured)
  constexpr double kOfNominal = 0.975;  // nvidia-smi shows less than the name says
  return std::max(card.memory_gib * kOfNominal - kKept, 0.0);
}

}  // namespace pinka::advise
