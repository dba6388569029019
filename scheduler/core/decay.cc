#include "scheduler/core/decay.h"

namespace pinka {
namespace {

__extension__ typedef unsigned __int128 Uint128;

constexpr uint64_t kOne = uint64_t{1} << 62;
constexpr uint64_t kLn2 = 3196577161300663915;  // Q62

// 2^-(1/2), 2^-(1/4), ... 2^-(1/256) in Q62.
constexpr uint64_t kRoots[] = {3260954456333195553, 3877950241171266237, 4228934724888366668,
                               4416165660797809419, 4512867096753504463, 4562008997483360349,
                               4586780255215411731, 4599216278082138665};

uint64_t Mul(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((static_cast<Uint128>(a) * b + (kOne >> 1)) >> 62);
}

}  // namespace

uint64_t Exp2Neg(uint64_t x_q32) {
  const uint64_t whole = x_q32 >> 32;
  if (whole >= 62) return 0;
  const uint32_t fraction = static_cast<uint32_t>(x_q32);
  // The low 24 bits by a polynomial: y < ln2 / 256, so y^5 / 120 is below 1e-15.
  const uint64_t low = static_cast<uint64_t>(fraction & 0xffffff) << 30;  // Q62
  const uint64_t y = Mul(low, kLn2);
  const uint64_t y2 = Mul(y, y);
  const uint64_t y3 = Mul(y2, y);
  const uint64_t y4 = Mul(y2, y2);
  uint64_t result = kOne - y + y2 / 2 - y3 / 6 + y4 / 24;
  // The high 8 bits by the roots they name.
  for (int bit = 0; bit < 8; ++bit) {
    if (fraction & (uint32_t{1} << (31 - bit))) result = Mul(result, kRoots[bit]);
  }
  return result >> whole;
}

uint64_t Decay(Duration age, int32_t half_life_h) {
  if (age.micros() <= 0) return kOne;
  const Int128 half_life = Duration::Hours(half_life_h).micros();
  const Int128 x = (static_cast<Int128>(age.micros()) << 32) / half_life;
  return x >= (static_cast<Int128>(62) << 32) ? 0 : Exp2Neg(static_cast<uint64_t>(x));
}

Int128 MulQ62(Int128 a, uint64_t b_q62) {
  const bool negative = a < 0;
  const Uint128 magnitude = negative ? -static_cast<Uint128>(a) : static_cast<Uint128>(a);
  const Uint128 high = (magnitude >> 62) * b_q62;  // b <= 2^62: stays within 128 bits
  const Uint128 low = ((magnitude & (kOne - 1)) * b_q62) >> 62;
  const Int128 product = static_cast<Int128>(high + low);
  return negative ? -product : product;
}

}  // namespace pinka
