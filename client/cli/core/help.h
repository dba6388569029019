// Help pages for people.
#pragma once

#include <string>

#include "client/cli/core/command.h"
#include "client/cli/core/options.h"

namespace pinka::cli {

// The one screen: at most 30 lines of 80 columns, grouped by the day's work.
std::string MainHelp(const Commands& commands);
// One command: usage, what it does, options, one example.
std::string CommandHelp(const Description& description, const Options& options);
// All commands below a prefix: "admin".
std::string PrefixHelp(const Commands& commands, const std::string& prefix);

}  // namespace pinka::cli
