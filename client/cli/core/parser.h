// Fills declared options from words (CLI11 underneath; nothing else includes it).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/core/options.h"

namespace pinka::cli {

// Refuses an unknown option (naming the nearest), a missing value, a missing or a surplus word, and
// what an option's `take` refuses. Nothing is split, joined or expanded on the way.
Status ParseWords(const Options& options, const std::vector<std::string>& words);

}  // namespace pinka::cli
