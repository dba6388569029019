// One command of `pinka`: what it is called, what it takes, what it does. Each lives in a file of
// its own in client/cli.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/core/options.h"

namespace pinka::cli {

class Session;

// The day's work, in the order of `pinka --help`.
enum class Group { kRun, kFollow, kChange, kMoney, kAdvice, kLab, kSetup, kAdmin };

struct Description {
  std::string path;   // "show", "admin member add"
  std::string usage;  // "ID [ID…]"; options are listed below it
  Group group = Group::kRun;
  std::string brief;    // for the one screen: at most 24 columns
  std::string summary;  // one or two sentences for the command's own help
  std::string example;  // one line that works as it stands
};

class Command {
 public:
  virtual ~Command() = default;
  virtual Description Describe() const = 0;
  virtual void Declare(Options& options) = 0;
  // The exit code; an error becomes one sentence and its code (errors.h).
  virtual StatusOr<int> Run(Session& session) = 0;
  // `run`, `wait` and `submit --wait` end with the job's code, so their own failures are all 125.
  virtual bool EndsAsTheJob() const { return false; }
};

using Commands = std::vector<std::unique_ptr<Command>>;

}  // namespace pinka::cli
