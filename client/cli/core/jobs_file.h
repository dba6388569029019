// `submit --jobs FILE.toml`: several jobs that name each other.
//
//   [[job]]
//   ref = "prep"
//   tier = "cpu"
//   command = ["python3", "prep.py"]
//
//   [[job]]
//   ref = "train"
//   time = "8h"
//   dependency = "afterok:@prep"
//   env = {SEED = "1"}
//   script = "train.sh"
//   args = ["--lr", "0.1"]
//
// Keys are submit's options without the dashes in front (`_` may stand for `-` within); a flag is
// true or false, what may be given several times is a list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/cli/core/job_spec.h"

namespace pinka::cli {

struct FileJob {
  std::string ref;  // "": none
  Work work;        // its fields: the script's directives, and the file's keys over them
};

// Refused, with file and line: what is no TOML, an unknown key (naming the nearest), a value that
// the option refuses, a job with neither or both of command and script, no job at all.
StatusOr<std::vector<FileJob>> ReadJobsFile(const std::string& path);
StatusOr<std::vector<FileJob>> ParseJobsFile(const std::string& path, std::string_view text);

}  // namespace pinka::cli
