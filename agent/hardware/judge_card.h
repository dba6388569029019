// One card's verdict.
#pragma once

#include "agent/hardware/judge.h"

namespace pinka::hardware {

GpuFinding JudgeCard(const GpuReading& gpu, Shape shape, const Claim& claim);
// Things worth a look that leave a card OK: a narrow link, a lowered power limit.
std::vector<Finding> Remarks(const GpuFinding& gpu);
// Whether a card of this kind may show so much memory: drivers and ECC differ by a few percent.
bool MemoryFits(const Card& card, int64_t memory_mib);

}  // namespace pinka::hardware
