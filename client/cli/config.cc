// pinka config: which server and token are used, and where each value came from.
#include "client/cli/commands.h"
#include "client/cli/core/json.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

// Enough to tell two tokens apart, too little to use one.
std::string Masked(const std::string& token) {
  constexpr size_t kShown = 4;
  if (token.empty()) return "";
  return token.size() <= 3 * kShown ? "…" : token.substr(0, kShown) + "…";
}

std::string JsonValue(const std::string& name, const Sourced& value) {
  return JsonString(name) + ":{\"value\":" + JsonString(value.value) +
         ",\"from\":" + JsonString(value.from) + "}";
}

class Config final : public Command {
 public:
  Description Describe() const override {
    return {"config",
            "[use NAME]",
            Group::kSetup,
            "where values come from",
            "Shows server, certificate authority and token, and whether each came from a flag, the "
            "environment or a context; then all contexts. pinka config use NAME changes the "
            "current one.",
            "pinka config"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const ConfigFile file, session.Config());
    PINKA_TRY_ASSIGN(Settings settings, session.Resolve());
    settings.token.value = Masked(settings.token.value);
    if (session.json()) {
      PrintAsJson(session, file, settings);
    } else {
      PrintAsTable(session, file, settings);
    }
    return 0;
  }

 private:
  static void PrintAsJson(Session& session, const ConfigFile& file, const Settings& settings) {
    std::string contexts;
    for (const auto& [name, entry] : file.contexts) {
      contexts += (contexts.empty() ? "" : ",") + JsonString(name) +
                  ":{\"server\":" + JsonString(entry.server) + ",\"ca\":" + JsonString(entry.ca) +
                  "}";
    }
    session.out().Line(
        JsonHead("pinka.v1.Config", session.Now()) + ",\"file\":" + JsonString(file.path) + "," +
        JsonValue("context", settings.context) + "," + JsonValue("server", settings.server) + "," +
        JsonValue("ca", settings.ca) + "," + JsonValue("token", settings.token) +
        ",\"contexts\":{" + contexts + "}}");
  }

  static void PrintAsTable(Session& session, const ConfigFile& file, const Settings& settings) {
    const auto sink = [&](std::string_view text) { session.out().Write(text); };
    Table values({{"VALUE", 0}, {"IS", 10}, {"FROM", 8}}, session.terminal(), sink);
    const auto row = [&](const std::string& name, const Sourced& value) {
      values.Row({name, value.value.empty() ? "-" : value.value,
                  value.from.empty() ? "not set" : value.from});
    };
    row("context", settings.context);
    row("server", settings.server);
    row("ca", settings.ca);
    row("token", settings.token);
    values.Row({"file", file.path, ""});
    values.Finish("");
    if (file.contexts.empty()) return;
    session.out().Line("");
    Table contexts({{"CONTEXT", 0}, {"SERVER", 10}, {"CA", 8}}, session.terminal(), sink);
    for (const auto& [name, entry] : file.contexts) {
      contexts.Row({(name == file.current ? "* " : "  ") + name, entry.server, entry.ca});
    }
    contexts.Finish("");
  }
};

}  // namespace

std::unique_ptr<Command> MakeConfig() { return std::make_unique<Config>(); }

}  // namespace pinka::cli
