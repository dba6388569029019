#include "scheduler/daemon/first_token.h"

#define TOML_EXCEPTIONS 0
#include <pwd.h>
#include <stdlib.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/file.h"
#include "fmt/format.h"

namespace pinka {
namespace {

struct Caller {
  std::string home;
  uid_t uid = 0;
  gid_t gid = 0;
};

// Who typed the command: under sudo the one who called it.
StatusOr<Caller> FindCaller() {
  Caller caller{"", geteuid(), getegid()};
  const char* sudo = getenv("SUDO_USER");
  const passwd* entry = geteuid() == 0 && sudo && *sudo ? getpwnam(sudo) : nullptr;
  if (entry) {
    caller = {entry->pw_dir, entry->pw_uid, entry->pw_gid};
  } else if (const char* home = getenv("HOME"); home && *home) {
    caller.home = home;
  } else if (const passwd* self = getpwuid(geteuid())) {
    caller.home = self->pw_dir;
  }
  if (caller.home.empty()) return NotFound("the caller has no home directory for a config file");
  return caller;
}

Status GiveTo(const std::string& path, const Caller& caller) {
  if (geteuid() != 0) return OkStatus();
  if (chown(path.c_str(), caller.uid, caller.gid) == 0) return OkStatus();
  return Unavailable(fmt::format("cannot give {} to its owner: {}", path, strerror(errno)));
}

StatusOr<toml::table> ReadTable(const std::string& path) {
  if (!PathExists(path)) return toml::table();
  auto text = ReadFile(path);
  if (!text.ok()) return text.status();
  toml::parse_result parsed = toml::parse(*text);
  if (!parsed) return Invalid(fmt::format("{} is not TOML; mend or remove it", path));
  return std::move(parsed).table();
}

toml::table& Sub(toml::table& table, std::string_view key) {
  if (!table[key].is_table()) table.insert_or_assign(key, toml::table());
  return *table[key].as_table();
}

}  // namespace

StatusOr<std::string> KeptToken(const DataDir& dir, const std::string& name, const Account& account,
                                Random& random) {
  const std::string path = dir.tokens() + "/" + name;
  if (PathExists(path)) return ReadFile(path);
  const std::string token = random.Hex(32);
  if (Status s = WriteFileDurably(path, token); !s.ok()) return s;
  if (geteuid() == 0 && account.drop && chown(path.c_str(), account.uid, account.gid) != 0) {
    return Unavailable(
        fmt::format("cannot give {} to {}: {}", path, account.name, strerror(errno)));
  }
  return token;
}

Status WriteLocalContext(const std::string& server, const std::string& token) {
  auto caller = FindCaller();
  if (!caller.ok()) return caller.status();
  const std::string config = caller->home + "/.config";
  const std::string directory = config + "/pinka";
  const std::string path = directory + "/config.toml";
  auto table = ReadTable(path);
  if (!table.ok()) return table.status();
  toml::table& local = Sub(Sub(*table, "contexts"), "local");
  const bool same = local["server"].value_or(std::string()) == server &&
                    local["token"].value_or(std::string()) == token;
  if (same && table->contains("current")) return OkStatus();
  local.insert_or_assign("server", server);
  local.insert_or_assign("token", token);
  if (!table->contains("current")) table->insert("current", "local");
  std::ostringstream text;
  text << *table << "\n";
  const bool new_config = !PathExists(config);
  if (Status s = MakeDirectories(directory, 0700); !s.ok()) return s;
  if (new_config) {
    if (Status s = GiveTo(config, *caller); !s.ok()) return s;
  }
  if (Status s = GiveTo(directory, *caller); !s.ok()) return s;
  if (Status s = WriteFileDurably(path, text.str(), 0600); !s.ok()) return s;
  return GiveTo(path, *caller);
}

}  // namespace pinka
