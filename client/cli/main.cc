// pinka: the command line for members and admins. This file only joins the parts: find the command,
// read its options, run it, turn its error into a sentence and an exit code.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "client/cli/core/dial.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/help.h"
#include "client/cli/core/parser.h"
#include "client/cli/core/registry.h"
#include "client/cli/core/secrets.h"
#include "client/cli/core/session.h"
#include "client/cli/core/switch_program.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

// Buffers are written and the process ends at once: threads of the RPC library have nothing left to
// say, and tearing them down takes longer than most commands.
[[noreturn]] void End(Out& out, int code) {
  out.Flush();
  _exit(code);
}

bool WantsJson(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--json") != end;
}

[[noreturn]] void EndWithError(Out& out, const Status& status, bool json, bool as_the_job) {
  v1::Error error = ErrorOf(status);
  if (as_the_job || error.exit_code() == 0) {
    error.set_exit_code(as_the_job ? kExitOwnFailure : kExitFailure);
  }
  out.Flush();
  Out err(STDERR_FILENO);
  err.Write(FormatError(error, json));
  err.Flush();
  _exit(error.exit_code());
}

[[noreturn]] void PrintHelp(Out& out, const Commands& commands, const Found& found,
                            const Options& options) {
  if (found.command != nullptr) {
    out.Write(CommandHelp(found.command->Describe(), options));
  } else if (!found.partial.empty()) {
    out.Write(PrefixHelp(commands, found.partial));
  } else {
    out.Write(MainHelp(commands));
  }
  End(out, 0);
}

// Where the line is wrong, --help anywhere before `--` still helps.
bool AsksForHelp(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "-h" || word == "--help"; });
}

[[noreturn]] void RunCommand(Out& out, const std::vector<std::string>& words) {
  const Commands commands = AllCommands();
  const StatusOr<Found> found = FindCommand(commands, words);
  if (!found.ok()) EndWithError(out, found.status(), WantsJson(words), false);
  Globals globals;
  Options options;
  DeclareGlobals(options, &globals);
  if (found->command != nullptr) found->command->Declare(options);
  if (found->command == nullptr) PrintHelp(out, commands, *found, options);
  const Status parsed = ParseWords(options, found->words);
  if (globals.help || (!parsed.ok() && AsksForHelp(found->words))) {
    PrintHelp(out, commands, *found, options);
  }
  if (!parsed.ok()) EndWithError(out, parsed, WantsJson(words), false);
  if (!kSpeaksTls && SettingsWantTls(globals)) {
    const Status stayed = BecomeProgram("pinka-tls", words);
    EndWithError(out, stayed, globals.json, found->command->EndsAsTheJob());
  }
  Session session(globals, DetectTerminal());
  const StatusOr<int> code = found->command->Run(session);
  session.Progress("");
  session.out().Flush();
  if (!code.ok()) {
    EndWithError(out, code.status(), globals.json, found->command->EndsAsTheJob());
  }
  End(session.out(), *code);
}

}  // namespace
}  // namespace pinka::cli

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  pinka::cli::HideSecretArguments(argc, argv);
  setenv("GRPC_VERBOSITY", "NONE", 0);  // its errors come back as ours
  pinka::cli::Out out(STDOUT_FILENO);
  pinka::cli::RunCommand(out, words);
}
