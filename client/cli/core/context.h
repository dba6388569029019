// Which server, as whom: flags, then the environment, then the named context of the config file.
// Pure; context_file.h reads and writes the file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "client/cli/core/registry.h"

namespace pinka::cli {

struct ContextEntry {
  std::string server;  // "127.0.0.1:7070", "unix:/run/pinka.sock"
  std::string ca;      // a path; empty: no TLS
  std::string token;
};

struct ConfigFile {
  std::string path;     // for messages; empty: there is no home
  std::string current;  // the context in use
  std::map<std::string, ContextEntry> contexts;
};

// A value and where it came from: "--server", "PINKA_SERVER", "context local"; "" if not set.
struct Sourced {
  std::string value;
  std::string from;
};

struct Settings {
  Sourced context;
  Sourced server;
  Sourced ca;
  Sourced token;
};

using EnvLookup = std::function<std::optional<std::string>(const char*)>;

// A context that was asked for by name and is not in the file is refused, naming those that are.
StatusOr<Settings> ResolveSettings(const Globals& flags, const EnvLookup& env,
                                   const ConfigFile& file);

// The process's environment.
std::optional<std::string> GetEnvironment(const char* name);

}  // namespace pinka::cli
