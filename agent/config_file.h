// What `pinka-agent join` leaves for `pinka-agent` to start with: options by their long names, one
// a line (name = "value"), 0600. The command line wins over it.
#pragma once

#include <string>

#include "agent/options.h"
#include "base/status.h"

namespace pinka {

// /etc/pinka/agent.toml as root, else $XDG_CONFIG_HOME/pinka/agent.toml.
std::string DefaultConfigPath();

// To options.config.
Status WriteConfigFile(const AgentOptions& options);

}  // namespace pinka
