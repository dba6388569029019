// pinka admin member token: a new token for a member.
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/token_text.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminMemberToken final : public Command {
 public:
  Description Describe() const override {
    return {"admin member token",
            "NAME",
            Group::kAdmin,
            "",
            "Makes a new token for a member and prints it, once.",
            "pinka admin member token alice"};
  }

  void Declare(Options& options) override {
    options.Positional("NAME", "the member", &name_);
    options.Flag("-q,--quiet", "print the token only", &quiet_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::CreateMemberTokenRequest request;
    request.set_request_id(session.NewRequestId());
    request.set_name(name_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::CreateMemberTokenResponse answer, api->CreateMemberToken(request));
    PrintToken(session, answer, answer.token(), quiet_, "A token for " + name_ + ".");
    return 0;
  }

 private:
  std::string name_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminMemberToken() { return std::make_unique<AdminMemberToken>(); }

}  // namespace pinka::cli
