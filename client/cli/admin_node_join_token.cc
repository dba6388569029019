// pinka admin node join-token: what a machine needs to join.
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/token_text.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminNodeJoinToken final : public Command {
 public:
  Description Describe() const override {
    return {"admin node join-token",
            "NAME --tier TIER [--source S]",
            Group::kAdmin,
            "join-token, drain, …",
            "Makes a token for one machine under one name, and prints it, once. The machine's "
            "agent takes it from a file.",
            "pinka admin node join-token n1 --tier a100 -q > n1.token"};
  }

  void Declare(Options& options) override {
    options.Positional("NAME", "the node's name", &name_);
    options.Value("--tier", "TIER", "the tier it belongs to", &tier_);
    options.Value("--source", "S",
                  "how its hours are paid for: owned, package, spot, on_demand (default) or trial",
                  &source_);
    options.Flag("-q,--quiet", "print the token only", &quiet_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::CreateJoinTokenRequest request;
    request.set_request_id(session.NewRequestId());
    request.set_node(name_);
    request.set_tier(tier_);
    request.set_source(source_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::CreateJoinTokenResponse answer, api->CreateJoinToken(request));
    PrintToken(session, answer, answer.token(), quiet_, "Node " + name_ + " may join.");
    return 0;
  }

 private:
  std::string name_;
  std::string tier_;
  std::string source_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminNodeJoinToken() { return std::make_unique<AdminNodeJoinToken>(); }

}  // namespace pinka::cli
