// pinka admin deposit: put money into an account.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminDeposit final : public Command {
 public:
  Description Describe() const override {
    return {"admin deposit",
            "AMOUNT --to ACCOUNT [--from MEMBER] [--until D] [--scope TIER]",
            Group::kAdmin,
            "put money in",
            "Books a new lot of money for a member, a project or the lab. It may end at a time and "
            "may be for one tier only.",
            "pinka admin deposit 800 --to alice --until 2027-01-01 --reason 'December budget' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("AMOUNT", "as in 12.50", &amount_);
    options.Value("--to", "ACCOUNT", "a member, project:NAME or lab", &to_);
    options.Value("--from", "MEMBER", "who paid it in (default: from outside)", &from_);
    options.Value("--until", "D", "its end, not included: 2027-01-01", &until_);
    options.Value("--scope", "TIER", "for this tier only", &tier_);
    options.Value("--reason", "TEXT", "kept with the entry", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const Money amount, ParseMoney(amount_));
    if (to_.empty()) return Invalid("name the account: --to MEMBER, --to project:NAME or --to lab");
    PINKA_TRY_ASSIGN(const v1::DepositRequest request, BuildRequest(session, amount));
    PINKA_TRY(session.Confirm("Deposit " + FormatMoney(amount) + " to " + to_ + "?", yes_, true));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::DepositResponse answer, api->Deposit(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      session.out().Line("Deposited " + FormatMoney(MoneyOf(answer.amount())) + " to " + to_ +
                         " as lot " + std::to_string(answer.lot_id()) + ".");
    }
    return 0;
  }

 private:
  StatusOr<v1::DepositRequest> BuildRequest(Session& session, Money amount) const {
    v1::DepositRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_amount(FormatWireMoney(amount));
    request.set_to(to_);
    request.set_from(from_);
    request.set_tier(tier_);
    request.set_reason(reason_);
    if (until_.empty()) return request;
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PINKA_TRY_ASSIGN(const Timestamp until, lab->zone.Parse(until_, session.Now()));
    *request.mutable_until() = ToProto(until);
    return request;
  }

  std::string amount_;
  std::string to_;
  std::string from_;
  std::string until_;
  std::string tier_;
  std::string reason_ = "deposit by hand";
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminDeposit() { return std::make_unique<AdminDeposit>(); }

}  // namespace pinka::cli
