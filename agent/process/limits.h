// What a job may take of the box, held by its control groups, and what they say of it. v2 and v1
// differ only in the names of files: each function uses those that are there.
// Thread-safe.
#pragma once

#include <cstdint>

#include "agent/process/cgroup.h"

namespace pinka {

// True: the kernel holds the job to it. `bytes` covers swap as well.
bool LimitMemory(const Cgroup& group, int64_t bytes);
bool LimitCpus(const Cgroup& group, int64_t cpus);

// Processes that the kernel killed for memory so far; 0 where no group can say.
int64_t OomKills(const Cgroup& group);
// Memory that the job's processes hold now, without caches of files; nothing where no group counts.
int64_t GroupMemory(const Cgroup& group);

}  // namespace pinka
