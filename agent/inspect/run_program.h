// Runs a program that may hang, in a process group of its own, and never longer than asked: at the
// deadline the whole group is killed, and nobody waits for what keeps its output open. A process
// that not even KILL ends (state D) is left behind and reaped when it goes.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace pinka::inspect {

struct Outcome {
  std::string output;  // what it wrote, as it came; cut to kMostBytes
  int status = 0;      // 128 + n: ended by signal n; 127: there is no such program
  bool timed_out = false;
  bool stuck = false;  // timed out, and could not be killed
  Duration took;
};
inline constexpr size_t kMostBytes = size_t{4} << 20;

enum class Streams { kBoth, kOutput };  // with standard error, or without

// argv[0] is looked for along PATH. Thread-safe.
Outcome RunProgram(const std::vector<std::string>& argv, Duration deadline,
                   Streams streams = Streams::kBoth);

}  // namespace pinka::inspect
