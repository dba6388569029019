// The configuration file of `pinkad serve` (TOML). Checked once, whole: every error names file and
// line and says what would be right. Tiers, members and prices are not here: `pinka admin apply`.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace pinka {

struct Config {
  std::string listen = "127.0.0.1:7070";
  std::string page_listen;   // of the web page, e.g. "127.0.0.1:7071"; "": none
  std::string database_url;  // required
  std::string data;          // required: logs lie in DATA/logs
};

StatusOr<Config> ReadConfig(const std::string& path);
StatusOr<Config> ParseConfig(std::string_view text, const std::string& file);

}  // namespace pinka
