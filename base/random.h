// Where randomness comes from: the kernel in production, a printed seed in tests.
#pragma once

#include <cstdint>
#include <string>

namespace pinka {

class Random {
 public:
  virtual ~Random() = default;
  virtual uint64_t Next() = 0;
  // Uniform in [0, n); n > 0.
  uint64_t Below(uint64_t n);
  // `bytes` random bytes in lower-case hex.
  std::string Hex(int bytes);
};

class SystemRandom final : public Random {
 public:
  uint64_t Next() override;
};

// splitmix64: the same seed gives the same sequence on every machine.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next() override;

 private:
  uint64_t state_;
};

}  // namespace pinka
