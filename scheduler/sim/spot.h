// Files of spot availability: CSV with the titles t_s, zone, instances_up (end_s is passed over).
// From t_s on so many machines of the zone are up, until its next line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace pinka::sim {

struct SpotChange {
  int64_t at_ms = 0;
  int32_t zone = 0;  // index into SpotFile::zones
  int32_t up = 0;
};

struct SpotFile {
  std::vector<std::string> zones;   // in the file's order
  std::vector<int32_t> most;        // of each zone: the most machines that are ever up
  std::vector<SpotChange> changes;  // by time, then zone
};

// `zone` keeps one zone only; "": all. Refuses a bad row with its line, and a zone that the file
// does not have with those that it has.
StatusOr<SpotFile> ParseSpot(std::string_view text, const std::string& file,
                             const std::string& zone);

// So many machines, each a zone of its own that is up and away by turns: up for six hours on
// average and away for one, each time drawn up to twice that. The same seed, the same times.
SpotFile DrawSpot(int32_t machines, uint64_t seed, int64_t until_ms);

}  // namespace pinka::sim
