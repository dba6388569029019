// pinka admin withdraw: take money out of an account.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminWithdraw final : public Command {
 public:
  Description Describe() const override {
    return {"admin withdraw",
            "AMOUNT --from ACCOUNT",
            Group::kAdmin,
            "take money out",
            "Takes money out of the lots of a member, a project or the lab, as far as nothing is "
            "bound to it.",
            "pinka admin withdraw 100 --from alice --reason 'paid back' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("AMOUNT", "as in 12.50", &amount_);
    options.Value("--from", "ACCOUNT", "a member, project:NAME or lab", &from_);
    options.Value("--reason", "TEXT", "kept with the entry", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const Money amount, ParseMoney(amount_));
    if (from_.empty()) {
      return Invalid("name the account: --from MEMBER, --from project:NAME or --from lab");
    }
    PINKA_TRY(
        session.Confirm("Withdraw " + FormatMoney(amount) + " from " + from_ + "?", yes_, true));
    v1::WithdrawRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_amount(FormatWireMoney(amount));
    request.set_from(from_);
    request.set_reason(reason_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::WithdrawResponse answer, api->Withdraw(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      const std::string who = answer.note().empty() ? "" : ": " + answer.note();
      session.out().Line("Withdrew " + FormatMoney(MoneyOf(answer.amount())) + " from " + from_ +
                         who + ".");
    }
    return 0;
  }

 private:
  std::string amount_;
  std::string from_;
  std::string reason_ = "withdrawal by hand";
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminWithdraw() { return std::make_unique<AdminWithdraw>(); }

}  // namespace pinka::cli
