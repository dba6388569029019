// One line of words as a shell reads it, for `#PINKA` directives: blanks separate, '…' is literal,
// "…" knows \" and \\, a backslash takes the next character, a word that begins with # ends the
// line. Nothing is expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace pinka::cli {

StatusOr<std::vector<std::string>> SplitShellWords(std::string_view line);

}  // namespace pinka::cli
