// Whether this box may take new work: room on the disks that jobs and their records need. A box
// that cannot keep what a job writes would fail one job after the other.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace pinka {

class Fitness {
 public:
  static constexpr int64_t kFloorBytes = int64_t{256} << 20;
  static constexpr int64_t kFloorFiles = 256;

  // `places`: directories on the file systems that count.
  Fitness(std::vector<std::string> places, int64_t floor_bytes)
      : places_(std::move(places)), floor_bytes_(floor_bytes) {}

  // "" or why not, as a sentence without its end. Once unfit a box needs a quarter more room than
  // the floor to be fit again. `suspect`: a job has met a disk that took nothing, whatever the
  // numbers say; then (at most every few seconds) something is written to see. `now`: any clock
  // that does not go back.
  const std::string& Look(bool suspect, Duration now);

 private:
  std::string Trouble(const std::string& place) const;
  static std::string WriteTrouble(const std::string& place);

  std::vector<std::string> places_;
  int64_t floor_bytes_;
  std::string unfit_;
  std::string refused_;  // what the last probe met
  Duration probe_at_;    // not before
};

}  // namespace pinka
