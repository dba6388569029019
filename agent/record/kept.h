// What of an attempt's files lies whole in the lab's store: written by the agent after each step,
// so that a new agent goes on there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace pinka {

struct Kept {
  int64_t generations = 0;    // of checkpoints, written by this attempt
  int64_t newest = -1;        // the last that was kept; -1: none
  int64_t checkpoint_ms = 0;  // the attempt's meter when it was written
  bool done = false;          // after the end: nothing more will come
  std::string message;        // what could not be kept, and why
};

std::string Encode(const Kept& kept);
StatusOr<Kept> DecodeKept(std::string_view bytes);

}  // namespace pinka
