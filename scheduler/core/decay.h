// Powers of one half in integers, the same on every machine (semantics.md 2).
#pragma once

#include <cstdint>

#include "base/time.h"
#include "scheduler/core/rows.h"

namespace pinka {

// 2^-x. x in Q32 (x = 1.0 is 1 << 32), result in Q62. Relative error below 1e-12 while the result
// has that many bits; 0 from x = 62 on.
uint64_t Exp2Neg(uint64_t x_q32);

// 0.5^(age / half_life) in Q62; age < 0 counts as 0.
uint64_t Decay(Duration age, int32_t half_life_h);

// a * b / 2^62 for b in Q62, toward zero, without losing the high bits of a.
Int128 MulQ62(Int128 a, uint64_t b_q62);

}  // namespace pinka
