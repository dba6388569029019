// All commands, and finding one by the words of a command line.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/command.h"

namespace pinka::cli {

// In the order of the help page. Cheap: nothing is connected or read.
Commands AllCommands();

struct Globals {
  std::string server;
  std::string token;
  std::string ca;
  std::string context;
  bool json = false;
  bool help = false;
};

// --server --token --ca --context --json --help, as every command takes them.
void DeclareGlobals(Options& options, Globals* globals);

struct Found {
  Command* command = nullptr;      // null: only help was asked for
  std::string partial;             // "admin", where only a prefix was named
  std::vector<std::string> words;  // what is left for the command
};

// Finds the longest path that the words begin with; options of `DeclareGlobals` before it are
// allowed. An unknown command is refused with the nearest one.
StatusOr<Found> FindCommand(const Commands& commands, const std::vector<std::string>& words);

}  // namespace pinka::cli
