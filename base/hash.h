// SHA-256: names of payloads, tokens at rest, digests of state.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace pinka {

std::string Sha256Hex(std::string_view bytes);

// For streams of bytes; Finish once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void Update(std::string_view bytes);
  std::string FinishHex();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pinka
