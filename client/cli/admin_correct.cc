// pinka admin correct: say what an entry should have been more or less.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminCorrect final : public Command {
 public:
  Description Describe() const override {
    return {"admin correct",
            "ENTRY AMOUNT --reason TEXT",
            Group::kAdmin,
            "correct an entry",
            "Books what a charge, overhead, deposit or refund should have been more, or with a "
            "minus less. The entry itself never changes. What is taken may leave a lot below zero, "
            "which only blocks new work.",
            "pinka admin correct 1204 -1.50 --reason 'booked twice' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("ENTRY", "its number in the ledger", &entry_);
    options.Positional("AMOUNT", "how much more, or -1.50 for less", &amount_);
    options.Value("--reason", "TEXT", "kept with the entry; needed", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const int64_t entry, ParseInt(entry_, 1, INT64_MAX, "ENTRY"));
    PINKA_TRY_ASSIGN(const Money amount, ParseMoney(amount_));
    if (reason_.empty()) return Invalid("say why: --reason TEXT stays with the entry");
    PINKA_TRY(session.Confirm("Correct entry " + entry_ + " by " + FormatMoney(amount) + "?", yes_,
                              true));
    v1::CorrectRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_entry_id(entry);
    request.set_amount(FormatWireMoney(amount));
    request.set_reason(reason_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::CorrectResponse answer, api->Correct(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      session.out().Line("Corrected entry " + entry_ + " by " +
                         FormatMoney(MoneyOf(answer.amount())) + " as entry " +
                         std::to_string(answer.entry_id()) + ".");
    }
    return 0;
  }

 private:
  std::string entry_;
  std::string amount_;
  std::string reason_;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminCorrect() { return std::make_unique<AdminCorrect>(); }

}  // namespace pinka::cli
