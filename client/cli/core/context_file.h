// ~/.config/pinka/config.toml:
//
//   current = "local"
//   [contexts.local]
//   server = "127.0.0.1:7070"
//   ca = "/path/to/ca.pem"      # absent without TLS
//   token = "…"
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "client/cli/core/context.h"

namespace pinka::cli {

// Where the file is; "" without HOME.
std::string ConfigPath(const EnvLookup& env);
// No file is an empty one. A mistake is refused with its line.
StatusOr<ConfigFile> ReadConfig(const std::string& path);
StatusOr<ConfigFile> ParseConfig(const std::string& path, std::string_view text);
std::string FormatConfig(const ConfigFile& file);
// Mode 0600, durable, directories made.
Status WriteConfig(const ConfigFile& file);

}  // namespace pinka::cli
