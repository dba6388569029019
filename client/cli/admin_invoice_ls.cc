// pinka admin invoice ls: bills of providers.
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/invoices.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminInvoiceLs final : public Command {
 public:
  Description Describe() const override {
    return {"admin invoice ls",
            "",
            Group::kAdmin,
            "providers' bills",
            "Lists the bills that were imported, the newest first, with what is not explained yet.",
            "pinka admin invoice ls"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListInvoicesResponse answer, api->ListInvoices({}));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Table table({{"INVOICE", 0},
                 {"PROVIDER", 8},
                 {"REF", 8},
                 {"FROM", 0},
                 {"TO", 0},
                 {"TOTAL", 0, true},
                 {"UNKNOWN", 0, true},
                 {"LINES", 0, true},
                 {"COUNTS IN", 0},
                 {"PAYER", 8},
                 {"IMPORTED", 10},
                 {"BY", 8}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Invoice& i : answer.invoices()) {
      table.Row({std::to_string(i.id()), i.provider(), i.ref(),
                 lab->zone.Day(FromProto(i.starts_at())), lab->zone.Day(FromProto(i.ends_at())),
                 Amount(i.total(), answer.currency()), Amount(i.unknown(), answer.currency()),
                 std::to_string(i.unknown_lines()), MonthOf(*lab, i),
                 i.payer().empty() ? "-" : i.payer(), lab->zone.Full(FromProto(i.imported_at())),
                 i.imported_by()});
    }
    table.Finish("No bills; pinka admin reconcile imports one.");
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> MakeAdminInvoiceLs() { return std::make_unique<AdminInvoiceLs>(); }

}  // namespace pinka::cli
