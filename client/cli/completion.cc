// pinka completion: a script that completes pinka's words in a shell.
#include "client/cli/commands.h"
#include "client/cli/core/completion_script.h"
#include "client/cli/core/json.h"
#include "client/cli/core/registry.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Completion final : public Command {
 public:
  Description Describe() const override {
    return {"completion",
            "bash|zsh|fish",
            Group::kSetup,
            "for your shell",
            "Prints a script that completes commands and options in your shell.",
            "pinka completion bash > ~/.local/share/bash-completion/completions/pinka"};
  }

  void Declare(Options& options) override {
    options.Positional("SHELL", "bash, zsh or fish", &shell_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const std::string script, CompletionScript(AllCommands(), shell_));
    if (session.json()) {
      session.out().Line(JsonHead("pinka.v1.Completion", session.Now()) +
                         ",\"script\":" + JsonString(script) + "}");
    } else {
      session.out().Write(script);
    }
    return 0;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> MakeCompletion() { return std::make_unique<Completion>(); }

}  // namespace pinka::cli
