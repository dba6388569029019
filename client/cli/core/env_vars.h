// Environment of a job: `--env K=V` and files of such lines. Values are bytes; they never appear in
// a message of ours.
//
// A file has one K=V a line. Blank lines and lines that begin with # are skipped, a leading
// `export ` is allowed. A value that begins with a quote ends at its partner and may go over
// several lines: in '…' every byte stands for itself, in "…" \n \t \" \\ are read. Any other value
// is the rest of its line as it stands, quotes, commas and blanks included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace pinka::cli {

struct EnvVar {
  std::string name;
  std::string value;
  friend bool operator==(const EnvVar&, const EnvVar&) = default;
};

// Only the first `=` separates. Refused: no `=`; a name that is not [A-Za-z_][A-Za-z0-9_]* nor that
// of an exported bash function (BASH_FUNC_name%%); a NUL.
StatusOr<EnvVar> ParseEnvVar(std::string_view text);
// `file` is for messages: "FILE:3: …".
StatusOr<std::vector<EnvVar>> ParseEnvFile(std::string_view text, const std::string& file);
// "-" is standard input.
StatusOr<std::vector<EnvVar>> ReadEnvFile(const std::string& path);

// Variables of this process, by name. A name that is not set here is refused: a job that runs
// without what it was to get is worse than no job.
StatusOr<std::vector<EnvVar>> TakeFromHere(const std::vector<std::string>& names);

// The last of a name wins and keeps the place of the first.
void SetEnvVar(EnvVar var, std::vector<EnvVar>* vars);

}  // namespace pinka::cli
