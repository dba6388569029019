// "GPU-…, 1234" lines of nvidia-smi: what is in use of each card.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace pinka::hardware {

// UUID -> bytes, of `--query-gpu=uuid,memory.used --format=csv,noheader,nounits` (MiB). Lines that
// say something else ([N/A], [GPU is lost], a message) are left out.
std::map<std::string, int64_t> ParseUsedMemory(std::string_view text);

}  // namespace pinka::hardware
