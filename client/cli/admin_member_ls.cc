// pinka admin member ls: who is in the lab.
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminMemberLs final : public Command {
 public:
  Description Describe() const override {
    return {"admin member ls",
            "",
            Group::kAdmin,
            "",
            "Lists members with their share and roles, removed ones too.",
            "pinka admin member ls"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListMembersResponse answer, api->ListMembers({}));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Table table({{"NAME", 8}, {"SHARE", 0, true}, {"ROLES", 8}, {"", 8}}, session.terminal(),
                [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Member& member : answer.members()) {
      std::string roles;
      for (const std::string& role : member.roles()) roles += (roles.empty() ? "" : ", ") + role;
      table.Row({member.name(), std::to_string(member.share()), roles,
                 member.removed() ? "removed" : ""});
    }
    table.Finish("No members.");
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> MakeAdminMemberLs() { return std::make_unique<AdminMemberLs>(); }

}  // namespace pinka::cli
