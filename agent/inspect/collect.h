// Finds out what a box has: asks nvidia-smi, nvcc, files and the disk. Blocks for as long as it is
// allowed to; never called from a loop that has a lease to renew. Thread-safe.
#pragma once

#include <string>

#include "agent/hardware/evidence.h"
#include "base/time.h"

namespace pinka::inspect {

struct Questions {
  std::string nvidia_smi = "nvidia-smi";      // the program
  Duration deadline = Duration::Seconds(60);  // of each answer; a slow good answer is used
  std::string disk;                           // measure a file there; "": do not
  int64_t disk_bytes = int64_t{256} << 20;
};
hardware::Evidence Collect(const Questions& questions);

// Whether there is such a program, along PATH.
bool ProgramExists(const std::string& program);

}  // namespace pinka::inspect
