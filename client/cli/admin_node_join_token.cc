// pinka admin node join-token: what a machine needs to join.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/token_text.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminNodeJoinToken final : public Command {
 public:
  Description Describe() const override {
    return {
        "admin node join-token",
        "NAME --tier TIER [--source S] [--valid D]",
        Group::kAdmin,
        "join-token, drain, …",
        "Makes a token with which one machine may join under one name, once and soon, and prints "
        "it. A node that is there already gets another key that way.",
        "pinka admin node join-token n1 --tier a100 --valid 2h"};
  }

  void Declare(Options& options) override {
    options.Positional("NAME", "the node's name", &name_);
    options.Value("--tier", "TIER", "the tier it belongs to", &tier_);
    options.Value("--source", "S",
                  "how its hours are paid for: owned, package, spot, on_demand (default) or trial",
                  &source_);
    options.Value("--valid", "D", "how long it may be used: 1h by default, 7d at most", &valid_);
    options.Flag("-q,--quiet", "print the token only", &quiet_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::CreateJoinTokenRequest request;
    request.set_request_id(session.NewRequestId());
    request.set_node(name_);
    request.set_tier(tier_);
    request.set_source(source_);
    if (!valid_.empty()) {
      PINKA_TRY_ASSIGN(const Duration valid, ParseDuration(valid_));
      request.set_valid_ms(valid.millis());
    }
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::CreateJoinTokenResponse answer, api->CreateJoinToken(request));
    if (session.json() || quiet_) {
      PrintToken(session, answer, answer.token(), quiet_, "");
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    const Settings settings = *session.Resolve();
    const bool over_tls = !answer.server().empty();
    session.Note("Node " + name_ + " may join once, until " +
                 lab->zone.Full(FromProto(answer.expires_at())) + ". On the box:");
    session.out().Line("pinka-agent join --server " +
                       (over_tls ? answer.server() : settings.server.value) + " --token " +
                       answer.token());
    if (!over_tls)
      session.Note(
          "This scheduler serves its own machine only: pinkad cert init, and --listen, "
          "let others in.");
    return 0;
  }

 private:
  std::string name_;
  std::string tier_;
  std::string source_;
  std::string valid_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminNodeJoinToken() { return std::make_unique<AdminNodeJoinToken>(); }

}  // namespace pinka::cli
