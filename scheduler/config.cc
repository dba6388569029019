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

StatusOr<Config> ParseConfig(std::string_view contents, const std::string& file) {
  StatusOr<toml::table> root = api::ParseToml(contents, file);
  if (!root.ok()) return root.status();
  Config config;
  api::TomlErrors errors(file);
  api::TomlSection section(*root, "configuration", errors);
  section.Judged("listen", [&config](const std::string& listen) {
    config.listen = listen;
    const Status status = api::CheckListen(listen);
    return status.ok() ? std::string() : Message(status);
  });
  section.Judged("page_listen", [&config](const std::string& listen) {
    config.page_listen = listen;
    const Status status = api::CheckListen(listen);
    return status.ok() ? std::string() : Message(status);
  });
  section.Judged("tls_listen", [&config](const std::string& listen) {
    config.tls_listen = listen;
    const Status status = api::CheckTlsListen(listen);
    return status.ok() ? std::string() : Message(status);
  });
  section.Text("certificate", &config.certificate);
  section.Text("key", &config.key);
  section.Text("blobs_remote", &config.blobs_remote);
  section.Judged("files_quota", [&config](const std::string& text) {
    const StatusOr<int64_t> bytes = ParseMemory(text);
    if (bytes.ok()) config.files_quota = *bytes;
    return bytes.ok() ? std::string() : Message(bytes.status());
  });
  section.Text("database_url", &config.database_url);
  section.Text("data", &config.data);
  section.Judged("keep_logs", [&config](const std::string& text) {
    const StatusOr<Duration> keep = ParseDuration(text);
    if (keep.ok()) config.keep_logs = *keep;
    return keep.ok() ? std::string() : Message(keep.status());
  });
  section.Finish();
  section.Require("database_url", "\"postgresql:///pinka\"");
  section.Require("data", "\"/var/lib/pinka\"");
  if (errors.ok() && (config.data.empty() || config.data.front() != '/'))
    section.Fail("data", "is an absolute path, like \"/var/lib/pinka\"");
  if (!errors.ok()) return errors.status();
  if (config.certificate.empty()) config.certificate = config.data + "/tls/server.pem";
  if (config.key.empty()) config.key = config.data + "/tls/server-key.pem";
  return config;
}

}  // namespace pinka
