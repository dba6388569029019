// pinka whoami: who the server takes you for.
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Whoami final : public Command {
 public:
  Description Describe() const override {
    return {"whoami",
            "",
            Group::kLab,
            "who the lab says you are",
            "Asks the server who your token belongs to.",
            "pinka whoami"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::WhoAmIResponse answer, api->WhoAmI({}));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    std::string roles;
    for (const std::string& role : answer.roles()) roles += (roles.empty() ? "" : ", ") + role;
    session.out().Line(answer.name() + (roles.empty() ? "" : " (" + roles + ")") + " in " +
                       answer.lab());
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> MakeWhoami() { return std::make_unique<Whoami>(); }

}  // namespace pinka::cli
