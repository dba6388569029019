// pinka admin rental ls: what providers bill for the machines.
#include "client/cli/commands.h"
#include "client/cli/core/rentals.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminRentalLs final : public Command {
 public:
  Description Describe() const override {
    return {"admin rental ls",
            "[-a]",
            Group::kAdmin,
            "machines' paid up-time",
            "Lists rentals: machines' up-time under their providers' rules, with what was billed "
            "for it up to the last posting, and who bears that.",
            "pinka admin rental ls --all"};
  }

  void Declare(Options& options) override { options.Flag("-a,--all", "closed ones too", &all_); }

  StatusOr<int> Run(Session& session) override {
    v1::ListRentalsRequest request;
    request.set_all(all_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListRentalsResponse answer, api->ListRentals(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PrintRentals(session, *lab, answer.currency(), answer.rentals(),
                 all_ ? "No rentals; machines of tiers with a billing rule have them."
                      : "No rentals are open; -a lists those that were.");
    return 0;
  }

 private:
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminRentalLs() { return std::make_unique<AdminRentalLs>(); }

}  // namespace pinka::cli
