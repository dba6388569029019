// pinka admin package ls: what was bought together.
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/portions.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminPackageLs final : public Command {
 public:
  Description Describe() const override {
    return {"admin package ls",
            "[-a]",
            Group::kAdmin,
            "packages",
            "Lists packages: hours, what is used of them, what they cost, who paid, when they end.",
            "pinka admin package ls"};
  }

  void Declare(Options& options) override { options.Flag("-a,--all", "closed ones too", &all_); }

  StatusOr<int> Run(Session& session) override {
    v1::ListPackagesRequest request;
    request.set_open_only(!all_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListPackagesResponse answer, api->ListPackages(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Print(session, *lab, answer);
    return 0;
  }

 private:
  static void Print(Session& session, const Lab& lab, const v1::ListPackagesResponse& answer) {
    Table table({{"ID", 0},
                 {"TIER", 4},
                 {"HOURS", 0, true},
                 {"USED", 0, true},
                 {"PRICE", 0, true},
                 {"MOVED", 0, true},
                 {"LEFT", 0, true},
                 {"PAYER", 8},
                 {"PROVIDER", 8},
                 {"MEMBERS", 0, true},
                 {"ENDS", 10},
                 {"CLOSED", 10}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Package& p : answer.packages()) {
      int members = 0;
      for (const v1::Portion& portion : p.portions()) members += portion.owner() == "lab" ? 0 : 1;
      table.Row({std::to_string(p.id()), p.tier(), HoursText(p.hours()), HoursText(p.used()),
                 Amount(p.price(), answer.currency()), Amount(p.moved(), answer.currency()),
                 Amount(p.inventory(), answer.currency()), p.payer().empty() ? "-" : p.payer(),
                 p.provider(), std::to_string(members), lab.zone.Full(FromProto(p.ends_at())),
                 p.has_closed_at() ? lab.zone.Full(FromProto(p.closed_at())) : ""});
    }
    table.Finish("No packages; pinka admin package buy books one.");
  }

  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminPackageLs() { return std::make_unique<AdminPackageLs>(); }

}  // namespace pinka::cli
