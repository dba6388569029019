// pinka-agent's command line, checked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/box.h"
#include "agent/core/spot_notice.h"
#include "agent/inspect/checker.h"
#include "base/status.h"

namespace pinka {

enum class AgentVerb { kRun, kJoin, kRotate };

struct AgentOptions {
  AgentVerb verb = AgentVerb::kRun;
  std::string config;  // the file that was read, or that `join` writes
  std::string server;
  std::string ca;     // PEM file of the authority that vouches for it; "": this machine's own
  std::string token;  // the key, or a join token; never shown
  std::string lab;    // its name, once it has been joined
  std::string state_dir;
  std::string scratch_dir;  // "": below the state directory where jobs can reach it
  std::string supervisor;
  std::string log_level = "info";
  int64_t disk_floor_bytes = 0;
  Box box;
  SpotSource spot;  // who says that this box is taken away
  // The options that say what this box offers, as they were given: `join` keeps them.
  std::vector<std::pair<std::string, std::string>> asked;
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
