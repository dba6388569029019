// `#PINKA` lines of a script: the options of submit, read from the comment block at its head.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/cli/core/submit_options.h"

namespace pinka::cli {

struct Directives {
  SubmitFields fields;
  std::vector<std::string> warnings;  // "train.sh:9: …", one a line
};

// The head ends at the first line that is neither blank nor a comment. An option that is unknown or
// wrong is refused as "FILE:LINE: …"; `#PINKA` lines behind the head and `#SBATCH` lines are warned
// of.
StatusOr<Directives> ReadDirectives(std::string_view script, const std::string& file);

}  // namespace pinka::cli
