#include "client/cli/core/switch_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "client/cli/core/context.h"
#include "client/cli/core/context_file.h"
#include "client/cli/core/endpoint.h"

namespace pinka::cli {

bool SettingsWantTls(const Globals& globals) {
  const StatusOr<ConfigFile> file = ReadConfig(ConfigPath(GetEnvironment));
  if (!file.ok()) return false;
  const StatusOr<Settings> settings = ResolveSettings(globals, GetEnvironment, *file);
  // A context that `pinka login` is about to make is in no file yet.
  if (!settings.ok()) return WantsTls(globals.server, globals.ca);
  return WantsTls(settings->server.value, settings->ca.value);
}

Status BecomeProgram(const std::string& name, const std::vector<std::string>& words) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (self.parent_path() / name).string();
  std::vector<char*> argv = {const_cast<char*>("pinka")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  return NotFound("the server is another machine's, which needs " + path + ": " + strerror(errno));
}

}  // namespace pinka::cli
