// pinka limits: the ceilings that bind.
#include "client/cli/commands.h"
#include "client/cli/core/limit_table.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Limits final : public Command {
 public:
  Description Describe() const override {
    return {"limits",
            "[--user U]",
            Group::kMoney,
            "ceilings and use",
            "Lists the limits that bind you, how much of each is used, which thresholds were "
            "crossed, and when a raise ends.",
            "pinka limits"};
  }

  void Declare(Options& options) override {
    options.Value("--user", "U", "those of this member (admins)", &user_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ListLimitsRequest request;
    request.set_user(user_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListLimitsResponse answer, api->ListLimits(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PrintLimits(session, *lab, answer, false);
    return 0;
  }

 private:
  std::string user_;
};

}  // namespace

std::unique_ptr<Command> MakeLimits() { return std::make_unique<Limits>(); }

}  // namespace pinka::cli
