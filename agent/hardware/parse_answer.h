// An answer of nvidia-smi, recognised by its shape and never by what was asked: a wrapper, an old
// driver or a cheat may answer anything. Pure; takes any bytes.
#pragma once

#include <string_view>

#include "agent/hardware/reading.h"

namespace pinka::hardware {

// Of several shapes in one text the one that proves most gives the cards; lists of MIG devices,
// versions and lines of trouble are taken from wherever they stand.
Answer ParseAnswer(std::string_view text);
// Tells the cards of `answer` what MIG devices `list` shows under them.
void AddSlices(const Answer& list, Answer* answer);

}  // namespace pinka::hardware
