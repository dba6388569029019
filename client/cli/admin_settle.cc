// pinka admin settle: who stands where at a month's end, and who hands whom what.
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/payments.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminSettle final : public Command {
 public:
  Description Describe() const override {
    return {"admin settle",
            "--month YYYY-MM [--spread RULE] [--dry-run]",
            Group::kAdmin,
            "who owes whom what",
            "Shows what each member has paid, spent and left over since ever, and who owes what, "
            "and proposes the payments after which nobody owes anything (under a cent). The month "
            "must be closed; it is settled once, and asked again it shows the same.",
            "pinka admin settle --month 2026-10 -y"};
  }

  void Declare(Options& options) override {
    options.Value("--month", "YYYY-MM", "which month", &month_);
    options.Value("--spread", "RULE",
                  "how overhead is shared out: usage (default), equal or contribution", &spread_);
    options.Flag("--dry-run", "show it and write nothing; also of a month that is still open",
                 &dry_run_);
    options.Value("--request-id", "K", "the same key is answered once (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    if (month_.empty()) return Invalid("say which month: --month YYYY-MM");
    v1::SettleMonthRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_month(month_);
    request.set_spread(spread_);
    request.set_dry_run(dry_run_);
    const bool yes = yes_ || dry_run_;
    PINKA_TRY(session.Confirm("Settle " + month_ + "? It is done once.", yes, true));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::SettleMonthResponse answer, api->SettleMonth(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    if (answer.state() == "open") session.Note(month_ + " is still open: this is how it stands.");
    PrintPositions(session, answer);
    session.out().Line("");
    PrintPayments(session, *lab, answer.currency(), answer.payments(), "Nobody owes anything.");
    if (!answer.note().empty()) session.Note(answer.note() + ".");
    return 0;
  }

 private:
  static void PrintPositions(Session& session, const v1::SettleMonthResponse& answer) {
    Table table({{"MEMBER", 8},
                 {"PAID", 0, true},
                 {"SETTLED", 0, true},
                 {"SPENT", 0, true},
                 {"OVERHEAD", 0, true},
                 {"LAPSED", 0, true},
                 {"CARRIED", 0, true},
                 {"POSITION", 0, true}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    const auto amount = [&](const std::string& wire) { return Amount(wire, answer.currency()); };
    for (const v1::Position& p : answer.positions()) {
      table.Row({p.member(), amount(p.paid()), amount(p.settled()), amount(p.spent()),
                 amount(p.overhead()), amount(p.lapsed()), amount(p.carried()),
                 amount(p.position())});
    }
    table.Finish("No members.");
  }

  std::string month_;
  std::string spread_;
  bool dry_run_ = false;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminSettle() { return std::make_unique<AdminSettle>(); }

}  // namespace pinka::cli
