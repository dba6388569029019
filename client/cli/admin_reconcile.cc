// pinka admin reconcile: a provider's bill against what the lab has booked.
#include "base/file.h"
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/invoices.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminReconcile final : public Command {
 public:
  Description Describe() const override {
    return {"admin reconcile",
            "--invoice FILE --provider P --ref R [--payer M]",
            Group::kAdmin,
            "check a provider's bill",
            "Imports a provider's bill (CSV) and says where each yuan of it went: charges, idle "
            "time, rounding, disk, egress, prices that differ, vouchers. What fits no machine of "
            "the lab is unknown, and must be explained before the month closes. A bill is imported "
            "once.",
            "pinka admin reconcile --invoice bill.csv --provider aliyun --ref 2026-09 --dry-run"};
  }

  void Declare(Options& options) override {
    options.Value("--invoice", "FILE", "the bill as CSV, in UTF-8", &file_);
    options.Value("--provider", "P", "whose bill it is, as rentals name it", &provider_);
    options.Value("--ref", "R", "the provider's number of it", &ref_);
    options.Value("--payer", "MEMBER", "who paid it (default: from outside)", &payer_);
    options.Value("--preset", "NAME",
                  "what the columns are called: aliyun, autodl, aws, tencent or generic "
                  "(default: the provider's)",
                  &preset_);
    options.Custom("--map", "FIELD=COLUMN,…",
                   "the column of instance, kind, from, to, amount or text",
                   [this](const std::string& value) {
                     for (const std::string& one : SplitCommas(value)) map_.push_back(one);
                     return OkStatus();
                   });
    options.Value("--total", "M", "what the bill says in all (default: the sum of its lines)",
                  &total_);
    options.Flag("--dry-run", "show it and book nothing", &dry_run_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    if (file_.empty() || provider_.empty() || ref_.empty()) {
      return Invalid("say which bill: --invoice FILE --provider P --ref R");
    }
    v1::ImportInvoiceRequest request;
    PINKA_TRY_ASSIGN(*request.mutable_csv(), ReadFile(file_));
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_provider(provider_);
    request.set_ref(ref_);
    request.set_payer(payer_);
    request.set_preset(preset_);
    for (const std::string& one : map_) request.add_map(one);
    if (!total_.empty()) {
      PINKA_TRY_ASSIGN(const Money total, ParseMoney(total_));
      request.set_total(FormatWireMoney(total));
    }
    request.set_dry_run(dry_run_);
    PINKA_TRY(
        session.Confirm("Book bill " + ref_ + " of " + provider_ + "?", yes_ || dry_run_, true));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ImportInvoiceResponse answer, api->ImportInvoice(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Print(session, *lab, answer);
    return 0;
  }

 private:
  static void Print(Session& session, const Lab& lab, const v1::ImportInvoiceResponse& answer) {
    session.out().Line(HeadOf(lab, answer.invoice()));
    session.out().Line("");
    PrintIdentity(session, answer.identity(), answer.currency());
    PrintUnknown(session, lab, answer.invoice().id(), answer.currency(), answer.unknown());
    const int64_t unknown = answer.invoice().unknown_lines();
    session.Note(std::to_string(answer.lines()) + " lines read by preset " + answer.preset() +
                 (unknown == 0 ? ", all of them known."
                               : ", " + std::to_string(unknown) + " of them unknown."));
    if (answer.invoice().id() == 0) session.Note("A dry run: nothing was booked.");
  }

  std::string file_;
  std::string provider_;
  std::string ref_;
  std::string payer_;
  std::string preset_;
  std::vector<std::string> map_;
  std::string total_;
  bool dry_run_ = false;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminReconcile() { return std::make_unique<AdminReconcile>(); }

}  // namespace pinka::cli
