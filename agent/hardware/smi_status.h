// What the exit status of nvidia-smi says: it returns NVML's own codes (docs/hardware.md has the
// table). Status and rows are read together: a warning with rows is a warning, a lost driver with
// rows is a lost driver.
#pragma once

#include <string>

namespace pinka::hardware {

enum class StatusMeaning {
  kGood,
  kWarning,   // rows hold, and something is worth a look
  kBadQuery,  // the question was not understood: ask for less
  kFailure,   // whatever rows came with it
};
StatusMeaning MeaningOf(int status);
// "the driver is not loaded"; "" where nothing is known about it.
const char* StatusText(int status);

}  // namespace pinka::hardware
