// pinka-agent's command line, checked.
#pragma once

#include <string>

#include "agent/box.h"
#include "agent/inspect/checker.h"
#include "base/status.h"

namespace pinka {

struct AgentOptions {
  std::string server;
  std::string token;  // read from its file; never shown
  std::string state_dir;
  std::string scratch_dir;  // "": below the state directory where jobs can reach it
  std::string supervisor;
  std::string log_level = "info";
  Box box;
  // Real cards: what is asked, what it is judged against, and which of them are offered.
  bool has_cards = false;
  inspect::Checker::Options checker;
};

// Prints help or what is wrong by itself: then `exit_code` is what the program ends with.
struct ParsedOptions {
  bool go_on = false;
  int exit_code = 0;
  AgentOptions options;
};
ParsedOptions ParseOptions(int argc, char** argv);

}  // namespace pinka
