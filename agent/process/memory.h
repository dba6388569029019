// Memory of a job's processes as /proc shows it: for boxes without control groups, and for the name
// of the process that took most.
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/process/proc.h"

namespace pinka {

struct MemoryUse {
  int64_t bytes = 0;  // of all together, without pages of files
  ProcessId largest;  // pid 0: there are none
  std::string name;   // the largest one's
};

enum class Sharing {
  kCountedEach,  // quick, and never too little: what processes share counts for each
  kCountedOnce,  // exact; takes the kernel a walk over every page table
};
MemoryUse MemoryOf(const std::vector<ProcessId>& processes, Sharing sharing);

// The number of bytes behind "KEY:" in lines "Key:  123 kB"; 0 where it is not there.
int64_t KilobyteLine(const std::string& text, const std::string& key);

}  // namespace pinka
