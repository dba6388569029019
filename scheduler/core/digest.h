// One number for a whole state: SHA-256 over every row of a snapshot in a canonical text.
#pragma once

#include <string>

#include "scheduler/core/changes.h"

namespace pinka {

std::string DigestOf(const Snapshot& snapshot);  // hex

// The text behind it, a row a line: what a failed digest test compares.
std::string DumpOf(const Snapshot& snapshot);

}  // namespace pinka
