// How fast a disk takes a checkpoint: bytes written and synced, as `dd conv=fdatasync` does it,
// with bytes that cannot be compressed, and for a few seconds at most.
#pragma once

#include <cstdint>
#include <string>

namespace pinka::inspect {

// Bytes a second, of a file in `directory` that is gone afterwards; -1 where none can be made.
int64_t DiskSpeed(const std::string& directory, int64_t bytes);

}  // namespace pinka::inspect
