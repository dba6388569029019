// pinka config use: another context from now on.
#include "client/cli/commands.h"
#include "client/cli/core/context_file.h"
#include "client/cli/core/json.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class ConfigUse final : public Command {
 public:
  Description Describe() const override {
    return {"config use",
            "NAME",
            Group::kSetup,
            "",
            "Makes a context of the config file the current one.",
            "pinka config use local"};
  }

  void Declare(Options& options) override {
    options.Positional("NAME", "a context of the config file", &name_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(ConfigFile file, session.Config());
    Globals named;
    named.context = name_;
    const EnvLookup no_environment = [](const char*) { return std::nullopt; };
    PINKA_TRY(ResolveSettings(named, no_environment, file).status());
    file.current = name_;
    PINKA_TRY(WriteConfig(file));
    if (session.json()) {
      session.out().Line(JsonHead("pinka.v1.Config", session.Now()) +
                         ",\"context\":" + JsonString(name_) + "}");
    } else {
      session.out().Line("Using " + file.contexts[name_].server + " (context " + name_ + ").");
    }
    return 0;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> MakeConfigUse() { return std::make_unique<ConfigUse>(); }

}  // namespace pinka::cli
