#include "scheduler/config.h"

#include "base/file.h"
#include "base/parse.h"
#include "scheduler/api/server.h"
#include "scheduler/api/toml_section.h"

namespace pinka {

StatusOr<Config> ReadConfig(const std::string& path) {
  StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseConfig(*text, path);
}

StatusOr<Config> ParseConfig(std::string_view text, const std::string& file) {
  StatusOr<toml::table> root = api::ParseToml(text, file);
  if (!root.ok()) return root.status();
  Config config;
  api::TomlErrors errors(file);
  api::TomlSection section(*root, "configuration", errors);
  section.Judged("listen", [&config](const std::string& listen) {
    config.listen = listen;
    const Status status = api::CheckListen(listen);
    return status.ok() ? std::string() : Message(status);
  });
  section.Text("blobs_remote", &config.blobs_remote);
  section.Judged("files_quota", [&config](const std::string& text) {
    const StatusOr<int64_t> bytes = ParseMemory(text);
    if (bytes.ok()) config.files_quota = *bytes;
    return bytes.ok() ? std::string() : Message(bytes.status());
  });
  section.Text("database_url", &config.database_url);
  section.Text("data", &config.data);
  section.Finish();
  section.Require("database_url", "\"postgresql:///pinka\"");
  section.Require("data", "\"/var/lib/pinka\"");
  if (errors.ok() && (config.data.empty() || config.data.front() != '/'))
    section.Fail("data", "is an absolute path, like \"/var/lib/pinka\"");
  if (!errors.ok()) return errors.status();
  return config;
}

}  // namespace pinka
