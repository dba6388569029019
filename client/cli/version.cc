// pinka version.
#include "client/cli/commands.h"
#include "client/cli/core/json.h"
#include "client/cli/core/session.h"

namespace pinka::cli {
namespace {

class Version final : public Command {
 public:
  Description Describe() const override {
    return {"version",
            "",
            Group::kSetup,
            "of this program",
            "Prints the version of this program; pinka status prints the server's.",
            "pinka version"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    if (session.json()) {
      session.out().Line(JsonHead("pinka.v1.Version", session.Now()) +
                         ",\"version\":" + JsonString(PINKA_VERSION) + "}");
    } else {
      session.out().Line("pinka " PINKA_VERSION);
    }
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> MakeVersion() { return std::make_unique<Version>(); }

}  // namespace pinka::cli
