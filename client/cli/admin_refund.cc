// pinka admin refund: give back what was charged.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminRefund final : public Command {
 public:
  Description Describe() const override {
    return {"admin refund",
            "ENTRY AMOUNT|HOURS|all --reason TEXT",
            Group::kAdmin,
            "give back a charge",
            "Gives back a charge or a part of it, into the lot it came from. ENTRY is a charge's "
            "number in the ledger, or an attempt (36_1.2) or task (36_1): of these the last line "
            "goes first. What was charged in hours of a package comes back in unit-hours (1h30m), "
            "into the package while it is open; later the lab bears what they had cost.",
            "pinka admin refund 36_1 4.00 --reason 'the node was slow' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("ENTRY", "an entry's number, an attempt or a task", &entry_);
    options.Positional("AMOUNT", "as in 12.50; of a package 1h30m; or all", &amount_);
    options.Value("--reason", "TEXT", "kept with the entry; needed", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::RefundRequest request;
    PINKA_TRY(FillAmount(&request));
    if (reason_.empty()) return Invalid("say why: --reason TEXT stays with the entry");
    PINKA_TRY(session.Confirm("Refund " + amount_ + " of " + entry_ + "?", yes_, true));
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_entry(entry_);
    request.set_reason(reason_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::RefundResponse answer, api->Refund(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      session.out().Line("Refunded " + amount_ + " of " + entry_ + " as entry " +
                         std::to_string(answer.first_entry_id()) +
                         (answer.entries() > 1 ? " and following." : "."));
      if (!answer.note().empty()) session.out().Line(answer.note() + ".");
    }
    return 0;
  }

 private:
  // Money, a span of hours, or "all"; what is neither is told as money would be.
  Status FillAmount(v1::RefundRequest* request) const {
    const StatusOr<Duration> hours = ParseDuration(amount_);
    const StatusOr<Money> money = ParseMoney(amount_);
    if (amount_ == "all")
      request->set_all(true);
    else if (money.ok())
      request->set_amount(FormatWireMoney(*money));
    else if (hours.ok())
      request->set_unit_ms(hours->millis());
    else
      return money.status();
    return OkStatus();
  }

  std::string entry_;
  std::string amount_;
  std::string reason_;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminRefund() { return std::make_unique<AdminRefund>(); }

}  // namespace pinka::cli
