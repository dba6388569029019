// pinka admin member add: a new member and their token.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/token_text.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminMemberAdd final : public Command {
 public:
  Description Describe() const override {
    return {"admin member add",
            "NAME [--share N] [--role ROLE]",
            Group::kAdmin,
            "add, rm, token, ls",
            "Adds a member and prints their token, once.",
            "pinka admin member add 王芳 --share 2"};
  }

  void Declare(Options& options) override {
    options.Positional("NAME", "as it will stand in every list", &name_);
    options.Custom("--share", "N", "weight in fair share (default: 1)",
                   [this](const std::string& text) -> Status {
                     PINKA_TRY_ASSIGN(share_, ParseInt(text, 0, 1'000'000, "the share"));
                     return OkStatus();
                   });
    options.List("--role", "ROLE", "member or admin (default: member)", &roles_);
    options.Flag("-q,--quiet", "print the token only", &quiet_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::AddMemberRequest request;
    request.set_request_id(session.NewRequestId());
    request.set_name(name_);
    request.set_share(share_);
    for (const std::string& role : roles_) request.add_roles(role);
    if (roles_.empty()) request.add_roles("member");
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::AddMemberResponse answer, api->AddMember(request));
    PrintToken(session, answer, answer.token(), quiet_, "Member " + name_ + " was added.");
    return 0;
  }

 private:
  std::string name_;
  int64_t share_ = 1;
  std::vector<std::string> roles_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminMemberAdd() { return std::make_unique<AdminMemberAdd>(); }

}  // namespace pinka::cli
