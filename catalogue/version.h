// Versions of drivers and of CUDA: numbers between dots, compared part by part, never as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace pinka {

// "12.4", "550.54.15".
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};
// InvalidArgument where it is none.
StatusOr<Version> ParseVersion(std::string_view text);
std::string Print(const Version& v);
// As CUDA itself counts: 12.4 is 12040.
int32_t CudaNumber(const Version& v);

}  // namespace pinka
