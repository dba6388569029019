#include "base/random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace pinka {

// Values under 2^64 mod n are thrown away, so that every remainder is equally likely.
uint64_t Random::Below(uint64_t n) {
  PINKA_CHECK(n > 0, "there is nothing below 0");
  const uint64_t uneven = (uint64_t{0} - n) % n;
  uint64_t drawn = Next();
  while (drawn < uneven) drawn = Next();
  return drawn % n;
}

std::string Random::Hex(int bytes) {
  PINKA_CHECK(bytes >= 0, "a count of bytes is not negative");
  static constexpr char kHex[] = "0123456789abcdef";
  std::string hex;
  uint64_t pool = 0;
  for (int i = 0; i < bytes; ++i) {
    if (i % 8 == 0) pool = Next();
    hex += kHex[(pool >> 4) & 15];
    hex += kHex[pool & 15];
    pool >>= 8;
  }
  return hex;
}

uint64_t SystemRandom::Next() {
  uint64_t value = 0;
  ssize_t n = 0;
  do {
    n = getrandom(&value, sizeof value, 0);
  } while (n < 0 && errno == EINTR);
  PINKA_CHECK(n == sizeof value, "the kernel gave no random bytes");
  return value;
}

uint64_t SeededRandom::Next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace pinka
