#include "client/cli/core/context.h"

#include <cstdlib>

namespace pinka::cli {
namespace {

Sourced FirstOf(const std::string& flag, const char* flag_name, const EnvLookup& env,
                const char* env_name, const std::string& file_value, const std::string& file_name) {
  if (!flag.empty()) return {flag, flag_name};
  if (env_name != nullptr) {
    if (const auto value = env(env_name); value && !value->empty()) return {*value, env_name};
  }
  if (!file_value.empty()) return {file_value, file_name};
  return {};
}

Status NoSuchContext(const Sourced& context, const ConfigFile& file) {
  std::string known;
  for (const auto& [name, entry] : file.contexts) known += (known.empty() ? "" : ", ") + name;
  return Invalid("no context '" + context.value + "' (from " + context.from + ") in " + file.path +
                 (known.empty() ? "; pinka login makes one" : "; there are: " + known));
}

}  // namespace

StatusOr<Settings> ResolveSettings(const Globals& flags, const EnvLookup& env,
                                   const ConfigFile& file) {
  Settings settings;
  settings.context =
      FirstOf(flags.context, "--context", env, "PINKA_CONTEXT", file.current, "config file");
  ContextEntry entry;
  if (!settings.context.value.empty()) {
    const auto found = file.contexts.find(settings.context.value);
    if (found == file.contexts.end()) return NoSuchContext(settings.context, file);
    entry = found->second;
  }
  const std::string from = "context " + settings.context.value;
  settings.server = FirstOf(flags.server, "--server", env, "PINKA_SERVER", entry.server, from);
  settings.ca = FirstOf(flags.ca, "--ca", env, nullptr, entry.ca, from);
  // What vouches for the context's server says nothing of another one.
  if (settings.server.value != entry.server && settings.ca.from == from) settings.ca = {};
  settings.token = FirstOf(flags.token, "--token", env, "PINKA_TOKEN", entry.token, from);
  return settings;
}

std::optional<std::string> GetEnvironment(const char* name) {
  const char* value = getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace pinka::cli
