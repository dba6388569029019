// Completion scripts for shells, made from what the commands declare.
#pragma once

#include <string>

#include "base/status.h"
#include "client/cli/core/command.h"

namespace pinka::cli {

// "bash", "zsh" or "fish"; others are refused.
StatusOr<std::string> CompletionScript(const Commands& commands, const std::string& shell);

}  // namespace pinka::cli
