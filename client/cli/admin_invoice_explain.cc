// pinka admin invoice explain: say what an unknown line of a bill was.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/invoices.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminInvoiceExplain final : public Command {
 public:
  Description Describe() const override {
    return {"admin invoice explain",
            "ID:LINE [AMOUNT] --as WHAT --reason TEXT",
            Group::kAdmin,
            "explain a line",
            "Books what an unknown line of a provider's bill was: idle, disk, egress, rounding, "
            "variance, overhead, or a member's (member=NAME). Several parts may stand, together "
            "at most what is unknown of the line.",
            "pinka admin invoice explain 31:4 --as member=alice --reason 'left it running' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("ID:LINE", "an invoice and a line of it", &line_);
    options.OptionalPositional("AMOUNT", "a part of it (default: all that is unknown)", &amount_);
    options.Value("--as", "WHAT", "idle, disk, egress, rounding, variance, overhead or member=NAME",
                  &as_);
    options.Value("--reason", "TEXT", "kept with the entry; needed", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const v1::ExplainLineRequest request, BuildRequest(session));
    const std::string what = amount_.empty() ? "what is unknown" : amount_;
    PINKA_TRY(
        session.Confirm("Book " + what + " of line " + line_ + " as " + as_ + "?", yes_, true));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ExplainLineResponse answer, api->ExplainLine(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    session.out().Line("Booked as entry " + std::to_string(answer.entry_id()) + ".");
    session.out().Line("");
    PrintIdentity(session, answer.identity(), answer.currency());
    const int64_t left = answer.invoice().unknown_lines();
    session.Note(left == 0 ? "Nothing of this bill is unknown any more."
                           : std::to_string(left) + " lines of this bill are still unknown.");
    return 0;
  }

 private:
  StatusOr<v1::ExplainLineRequest> BuildRequest(Session& session) const {
    const size_t colon = line_.find(':');
    if (colon == std::string::npos)
      return Invalid("say which line of which invoice: ID:LINE, as in 31:4");
    if (as_.empty()) return Invalid("say what it was: --as idle, or --as member=NAME");
    if (reason_.empty()) return Invalid("say why: --reason TEXT stays with the entry");
    v1::ExplainLineRequest request;
    PINKA_TRY_ASSIGN(const int64_t id,
                     ParseInt(line_.substr(0, colon), 1, INT64_MAX, "the invoice's id"));
    PINKA_TRY_ASSIGN(const int64_t line,
                     ParseInt(line_.substr(colon + 1), 1, INT32_MAX, "the line"));
    if (!amount_.empty()) {
      PINKA_TRY_ASSIGN(const Money amount, ParseMoney(amount_));
      request.set_amount(FormatWireMoney(amount));
    }
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_invoice_id(id);
    request.set_line(static_cast<int32_t>(line));
    request.set_as(as_);
    request.set_reason(reason_);
    return request;
  }

  std::string line_;
  std::string amount_;
  std::string as_;
  std::string reason_;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminInvoiceExplain() {
  return std::make_unique<AdminInvoiceExplain>();
}

}  // namespace pinka::cli
