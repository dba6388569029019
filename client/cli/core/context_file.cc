#include "client/cli/core/context_file.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <sstream>

#include "base/file.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

Status Mistake(const std::string& path, const toml::node& node, const std::string& what) {
  return Invalid(path + ":" + std::to_string(node.source().begin.line) + ": " + what);
}

Status ReadText(const std::string& path, const toml::table& table, const char* key,
                std::string* to) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return OkStatus();
  if (!node->is_string()) return Mistake(path, *node, std::string(key) + " must be a \"text\"");
  *to = node->as_string()->get();
  return OkStatus();
}

Status ReadContext(const std::string& path, const std::string& name, const toml::node& node,
                   ConfigFile* file) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return Mistake(path, node, "write [contexts." + name + "]");
  ContextEntry& entry = file->contexts[name];
  PINKA_TRY(ReadText(path, *table, "server", &entry.server));
  PINKA_TRY(ReadText(path, *table, "ca", &entry.ca));
  return ReadText(path, *table, "token", &entry.token);
}

}  // namespace

std::string ConfigPath(const EnvLookup& env) {
  const auto home = env("HOME");
  if (!home || home->empty()) return "";
  return *home + "/.config/pinka/config.toml";
}

StatusOr<ConfigFile> ReadConfig(const std::string& path) {
  if (path.empty() || !PathExists(path)) {
    ConfigFile empty;
    empty.path = path;
    return empty;
  }
  PINKA_TRY_ASSIGN(const std::string text, ReadFile(path));
  return ParseConfig(path, text);
}

StatusOr<ConfigFile> ParseConfig(const std::string& path, std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Invalid(path + ":" + std::to_string(parsed.error().source().begin.line) + ": " +
                   std::string(parsed.error().description()));
  }
  ConfigFile file;
  file.path = path;
  PINKA_TRY(ReadText(path, parsed.table(), "current", &file.current));
  const toml::node* contexts = parsed.table().get("contexts");
  if (contexts == nullptr) return file;
  if (!contexts->is_table()) return Mistake(path, *contexts, "write [contexts.NAME]");
  for (const auto& [key, node] : *contexts->as_table()) {
    PINKA_TRY(ReadContext(path, std::string(key.str()), node, &file));
  }
  return file;
}

std::string FormatConfig(const ConfigFile& file) {
  toml::table contexts;
  for (const auto& [name, entry] : file.contexts) {
    toml::table table;
    table.insert("server", entry.server);
    if (!entry.ca.empty()) table.insert("ca", entry.ca);
    table.insert("token", entry.token);
    contexts.insert(name, std::move(table));
  }
  toml::table root;
  if (!file.current.empty()) root.insert("current", file.current);
  root.insert("contexts", std::move(contexts));
  std::ostringstream text;
  text << root << "\n";
  return text.str();
}

Status WriteConfig(const ConfigFile& file) {
  if (file.path.empty()) return Invalid("HOME is not set, so there is no place for a config file");
  PINKA_TRY(MakeDirectories(file.path.substr(0, file.path.rfind('/'))));
  return WriteFileDurably(file.path, FormatConfig(file), 0600);
}

}  // namespace pinka::cli
