// pinka admin transfer: move money from one account to another.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminTransfer final : public Command {
 public:
  Description Describe() const override {
    return {"admin transfer",
            "AMOUNT --from ACCOUNT --to ACCOUNT --reason TEXT",
            Group::kAdmin,
            "move between accounts",
            "Moves money from the lots of a member, a project or the lab to another, as far as "
            "nothing is bound to it. It keeps the end and the tier of the lots it comes from.",
            "pinka admin transfer 20 --from alice --to project:nlp --reason 'paper deadline' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("AMOUNT", "as in 12.50", &amount_);
    options.Value("--from", "ACCOUNT", "a member, project:NAME or lab", &from_);
    options.Value("--to", "ACCOUNT", "a member, project:NAME or lab", &to_);
    options.Value("--reason", "TEXT", "kept with the entry; needed", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const Money amount, ParseMoney(amount_));
    if (from_.empty() || to_.empty()) {
      return Invalid("name both accounts: --from and --to take a member, project:NAME or lab");
    }
    if (reason_.empty()) return Invalid("say why: --reason TEXT stays with the entry");
    PINKA_TRY(session.Confirm(
        "Transfer " + FormatMoney(amount) + " from " + from_ + " to " + to_ + "?", yes_, true));
    v1::TransferRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_amount(FormatWireMoney(amount));
    request.set_from(from_);
    request.set_to(to_);
    request.set_reason(reason_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::TransferResponse answer, api->Transfer(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      session.out().Line("Transferred " + FormatMoney(MoneyOf(answer.amount())) + " from " + from_ +
                         " to " + to_ + ".");
    }
    return 0;
  }

 private:
  std::string amount_;
  std::string from_;
  std::string to_;
  std::string reason_;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminTransfer() { return std::make_unique<AdminTransfer>(); }

}  // namespace pinka::cli
