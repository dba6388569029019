// The configuration file of `pinkad serve` (TOML). Checked once, whole: every error names file and
// line and says what would be right. Tiers, members and prices are not here: `pinka admin apply`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace pinka {

struct Config {
  std::string listen = "127.0.0.1:7070";
  std::string page_listen;  // of the web page, e.g. "127.0.0.1:7071"; "": none
  std::string tls_listen;   // HOST:PORT for other machines; "": none
  std::string certificate;  // PEM files; default DATA/tls/server.pem and server-key.pem
  std::string key;
  std::string database_url;  // required
  std::string data;          // required: logs lie in DATA/logs, jobs' files in DATA/blobs
  Duration keep_logs = Duration::Days(90);   // "0s": for ever
  std::string blobs_remote;                  // "NAME:PATH" of rclone: there instead
  int64_t files_quota = int64_t{100} << 30;  // bytes of files that a member may keep
};

StatusOr<Config> ReadConfig(const std::string& path);
StatusOr<Config> ParseConfig(std::string_view text, const std::string& file);

}  // namespace pinka
