// pinka admin invoice show: a provider's bill and where it went.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/invoices.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminInvoiceShow final : public Command {
 public:
  Description Describe() const override {
    return {"admin invoice show",
            "ID [--lines]",
            Group::kAdmin,
            "one provider's bill",
            "Shows where a provider's bill went, and what of it is unknown; with --lines each of "
            "its lines with what it covers of its rental.",
            "pinka admin invoice show 31"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "as pinka admin invoice ls prints it", &id_);
    options.Flag("--lines", "all lines, not only unknown ones", &lines_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const int64_t id, ParseInt(id_, 1, INT64_MAX, "the invoice's id"));
    v1::GetInvoiceRequest request;
    request.set_invoice_id(id);
    request.set_unknown_only(!lines_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(v1::GetInvoiceResponse answer, api->GetInvoice(request));
    while (answer.more()) {
      request.set_after_line(answer.lines(answer.lines_size() - 1).line());
      PINKA_TRY_ASSIGN(const v1::GetInvoiceResponse next, api->GetInvoice(request));
      answer.mutable_lines()->MergeFrom(next.lines());
      answer.set_more(next.more() && !next.lines().empty());
    }
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    session.out().Line(HeadOf(*lab, answer.invoice()));
    session.out().Line("");
    PrintIdentity(session, answer.identity(), answer.currency());
    if (lines_)
      PrintLines(session, *lab, answer);
    else
      PrintUnknown(session, *lab, id, answer.currency(), answer.lines());
    return 0;
  }

 private:
  static void PrintLines(Session& session, const Lab& lab, const v1::GetInvoiceResponse& answer) {
    session.out().Line("");
    Table table({{"LINE", 0, true},
                 {"KIND", 0},
                 {"MACHINE", 8},
                 {"FROM", 10},
                 {"TO", 10},
                 {"AMOUNT", 0, true},
                 {"RENTAL", 0, true},
                 {"CHARGES", 0, true},
                 {"IDLE", 0, true},
                 {"BOOKED", 0, true},
                 {"AS", 0},
                 {"UNKNOWN", 0, true},
                 {"TEXT", 8}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    const auto amount = [&](const std::string& wire) { return Amount(wire, answer.currency()); };
    for (const v1::InvoiceLine& line : answer.lines()) {
      const bool booked = MoneyOf(line.booked()) != Money();
      table.Row({std::to_string(line.line()), line.kind(),
                 line.instance().empty() ? "-" : line.instance(),
                 lab.zone.Short(FromProto(line.starts_at())),
                 lab.zone.Short(FromProto(line.ends_at())), amount(line.amount()),
                 line.rental_id() == 0 ? "-" : std::to_string(line.rental_id()),
                 amount(line.charges()), amount(line.idle()), amount(line.booked()),
                 booked ? line.account() : "", amount(line.unknown()), line.text()});
    }
    table.Finish("");
  }

  std::string id_;
  bool lines_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminInvoiceShow() { return std::make_unique<AdminInvoiceShow>(); }

}  // namespace pinka::cli
