// pinka admin member rm: a member who leaves.
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminMemberRm final : public Command {
 public:
  Description Describe() const override {
    return {"admin member rm",
            "NAME",
            Group::kAdmin,
            "",
            "Removes a member, and says what became of their balance and jobs.",
            "pinka admin member rm bob -y"};
  }

  void Declare(Options& options) override {
    options.Positional("NAME", "the member", &name_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY(session.Confirm("Remove member " + name_ + "?", yes_, true));
    v1::RemoveMemberRequest request;
    request.set_request_id(session.NewRequestId());
    request.set_name(name_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::RemoveMemberResponse answer, api->RemoveMember(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    session.out().Line("Removed " + name_ + ".");
    for (const std::string& line : answer.consequences()) session.out().Line("  " + line);
    return 0;
  }

 private:
  std::string name_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminMemberRm() { return std::make_unique<AdminMemberRm>(); }

}  // namespace pinka::cli
