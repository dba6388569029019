// pinka balance: what is there, what is bound, what can be started.
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/portions.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Balance final : public Command {
 public:
  Description Describe() const override {
    return {"balance",
            "[ACCOUNT]",
            Group::kMoney,
            "what is left",
            "Shows accounts with their lots: credited = settled + in flight + committed + "
            "available - credit limit; then portions of packages, in hours: own = used - borrowed "
            "+ lent + held + left. The last line says what you could start now for money.",
            "pinka balance"};
  }

  void Declare(Options& options) override {
    options.OptionalPositional(
        "ACCOUNT", "a member, project:NAME or lab (default: all you may see)", &account_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::GetBalanceRequest request;
    request.set_account(account_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetBalanceResponse answer, api->GetBalance(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Print(session, *lab, answer);
    return 0;
  }

 private:
  static void Print(Session& session, const Lab& lab, const v1::GetBalanceResponse& answer) {
    const std::string& currency = answer.currency();
    Table table({{"ACCOUNT", 8},
                 {"AVAILABLE", 0, true},
                 {"COMMITTED", 0, true},
                 {"IN FLIGHT", 0, true},
                 {"SETTLED", 0, true},
                 {"CREDITED", 0, true},
                 {"ENDS", 10},
                 {"ONLY ON", 6}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::AccountBalance& account : answer.accounts()) {
      table.Row({account.account(), Amount(account.available(), currency),
                 Amount(account.committed(), currency), Amount(account.in_flight(), currency),
                 Amount(account.settled(), currency), Amount(account.credited(), currency)});
      for (const v1::Lot& lot : account.lots()) table.Row(LotRow(lot, lab.zone, currency));
    }
    table.Finish("No accounts that you may see.");
    for (const v1::AccountBalance& account : answer.accounts()) {
      if (!account.note().empty()) session.out().Line(account.account() + ": " + account.note());
    }
    std::vector<v1::Portion> portions;
    for (const v1::AccountBalance& account : answer.accounts())
      portions.insert(portions.end(), account.portions().begin(), account.portions().end());
    if (!portions.empty()) {
      session.out().Line("");
      PrintPortions(session, lab, currency, portions);
      session.out().Line("");
    }
    if (!answer.has_reach()) return;
    session.out().Line(
        "You could start " + Amount(answer.reach().available(), currency) + " now" +
        (answer.reach().tightest().empty() ? "" : ", bounded by " + answer.reach().tightest()) +
        ".");
  }

  static std::vector<std::string> LotRow(const v1::Lot& lot, const Zone& zone,
                                         const std::string& currency) {
    return {"  lot " + std::to_string(lot.id()),
            Amount(lot.available(), currency),
            Amount(lot.committed(), currency),
            "",
            Amount(lot.settled(), currency),
            Amount(lot.credited(), currency),
            lot.has_ends_at() ? zone.Full(FromProto(lot.ends_at())) : "never",
            lot.scope()};
  }

  std::string account_;
};

}  // namespace

std::unique_ptr<Command> MakeBalance() { return std::make_unique<Balance>(); }

}  // namespace pinka::cli
