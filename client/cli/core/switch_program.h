// Becoming `pinka-tls`.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/core/registry.h"

namespace pinka::cli {

// Whether the server that these flags, the environment and the config file name wants TLS. A
// mistake in them is told later, by whoever uses them.
bool SettingsWantTls(const Globals& globals);

// Runs the program of that name beside this one with the same words instead of this one; returns
// only where it cannot.
Status BecomeProgram(const std::string& name, const std::vector<std::string>& words);

}  // namespace pinka::cli
