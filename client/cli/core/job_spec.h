// From what was typed to what is sent. Pure but for `ReadWork`.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/core/submit_options.h"
#include "pinka/v1/job.pb.h"

namespace pinka::cli {

// The kernel's bounds on what a program can be given; the server checks them again.
inline constexpr int64_t kLargestString = 131'071;   // one argument, or NAME=VALUE
inline constexpr int64_t kLargestTotal = 2'064'384;  // all of them, 9 bytes more for each; less
                                                     // than 2 MiB, for what the agent adds
inline constexpr int64_t kLargestScript = 4'194'304;

// What to run: a command, or a script with its arguments.
struct Work {
  std::vector<std::string> argv;  // of a script: its name, then its arguments
  std::string script;             // content; empty: a command
  SubmitFields fields;            // what the script's directives say
  std::vector<std::string> warnings;
};

// `rest` as Options::Rest gives it: {"--", "python3", …} or {"train.sh", "--lr", …} or nothing.
// Refused: nothing (unless `may_be_empty`), a script that cannot be read, is too large or does not
// begin with #!, and what directives.h refuses.
StatusOr<Work> ReadWork(const std::vector<std::string>& rest, bool may_be_empty);

// All but the times of day, which the lab's zone reads (submitting.h).
// Refused: a string or a total that is too large, with the limit and the size. Values of variables
// are never named.
StatusOr<v1::JobSpec> BuildJobSpec(const SubmitFields& fields, const Work& work);

}  // namespace pinka::cli
