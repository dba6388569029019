#include "agent/config_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"

namespace pinka {
namespace {

// In quotes as CLI11 reads them back: nothing is escaped, so neither quote may be inside.
StatusOr<std::string> Line(const std::string& name, const std::string& value) {
  const char quote = value.find('"') == std::string::npos ? '"' : '\'';
  if (value.find(quote) == std::string::npos && value.find('\n') == std::string::npos)
    return fmt::format("{} = {}{}{}\n", name, quote, value, quote);
  return Invalid(fmt::format("--{} {} cannot be kept in a configuration file", name, value));
}

}  // namespace

std::string DefaultConfigPath() {
  if (geteuid() == 0) return "/etc/pinka/agent.toml";
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  const std::string base = config != nullptr && *config != '\0'
                               ? config
                               : std::string(home ? home : "/tmp") + "/.config";
  return base + "/pinka/agent.toml";
}

Status WriteConfigFile(const AgentOptions& options) {
  std::string text =
      "# Written by pinka-agent join; pinka-agent --help lists what may stand here.\n";
  std::vector<std::pair<std::string, std::string>> values = {{"server", options.server},
                                                             {"ca", options.ca},
                                                             {"name", options.box.name},
                                                             {"tier", options.box.tier},
                                                             {"state-dir", options.state_dir}};
  values.insert(values.end(), options.asked.begin(), options.asked.end());
  for (const auto& [name, value] : values) {
    if (value.empty()) continue;
    StatusOr<std::string> line = Line(name, value);
    if (!line.ok()) return line.status();
    text += *line;
  }
  if (Status s = MakeDirectories(options.config.substr(0, options.config.rfind('/')), 0755);
      !s.ok())
    return s;
  return WriteFileDurably(options.config, text, 0600);
}

}  // namespace pinka
