// What a command works with: who is asked, where answers go, who can be asked back. One per
// process, made by main, connected at the first call.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "client/cli/core/api.h"
#include "client/cli/core/context.h"
#include "client/cli/core/out.h"
#include "client/cli/core/terminal.h"
#include "client/cli/core/when.h"

namespace pinka::cli {

// What people's output needs to know of the lab; asked once.
struct Lab {
  std::string name;
  std::string currency;
  std::string confirm_above;  // submit asks above this much
  Zone zone;
};

class Session {
 public:
  Session(Globals globals, const Terminal& terminal);

  // Connected at the first use; without a server configured the error says how to set one.
  StatusOr<Api*> Connect();
  // Lab facts, by a call of its own: only for people's output and for times to be read.
  StatusOr<const Lab*> AskLab();

  StatusOr<ConfigFile> Config() const;
  StatusOr<Settings> Resolve() const;

  bool json() const { return globals_.json; }
  const Globals& globals() const { return globals_; }
  const Terminal& terminal() const { return terminal_; }
  Out& out() { return out_; }
  Out& err() { return err_; }
  Timestamp Now() const;
  // Random, for one invocation; its own retries reuse it.
  std::string NewRequestId() const;

  // The `--json` answer: the message wrapped with schema and asOf.
  void PrintJson(const google::protobuf::Message& message);
  // A line on standard error: warnings, marks, what is being done.
  void Note(const std::string& line);
  // A line on a terminal that the next one replaces; "" clears it.
  void Progress(const std::string& line);

  // Asks a person; refusing is exit 1. `assume_yes` is -y. Without a terminal the answer is yes for
  // members' commands; `needs_yes` (money verbs, rm) wants -y there, exit 2.
  Status Confirm(const std::string& question, bool assume_yes, bool needs_yes);

 private:
  Globals globals_;
  Terminal terminal_;
  Out out_;
  Out err_;
  bool progress_shown_ = false;
  std::unique_ptr<Api> api_;
  std::optional<Lab> lab_;
};

}  // namespace pinka::cli
