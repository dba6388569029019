// pinka admin limit ls: the ceilings of everybody.
#include "client/cli/commands.h"
#include "client/cli/core/limit_table.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminLimitLs final : public Command {
 public:
  Description Describe() const override {
    return {"admin limit ls",
            "",
            Group::kAdmin,
            "ceilings of everybody",
            "Lists every limit that stands. One of `each` member shows who has used most of it; a "
            "raise shows what comes back when it ends.",
            "pinka admin limit ls"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    v1::ListLimitsRequest request;
    request.set_everybody(true);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListLimitsResponse answer, api->ListLimits(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PrintLimits(session, *lab, answer, true);
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> MakeAdminLimitLs() { return std::make_unique<AdminLimitLs>(); }

}  // namespace pinka::cli
