// pinka admin payment ls: what members still owe each other.
#include "client/cli/commands.h"
#include "client/cli/core/payments.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminPaymentLs final : public Command {
 public:
  Description Describe() const override {
    return {"admin payment ls",
            "[--month YYYY-MM] [-a]",
            Group::kAdmin,
            "payments between members",
            "Lists the payments that were proposed when months were settled and not yet made.",
            "pinka admin payment ls --month 2026-10 --all"};
  }

  void Declare(Options& options) override {
    options.Value("--month", "YYYY-MM", "of this month only", &month_);
    options.Flag("-a,--all", "those that were made, too", &all_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ListPaymentsRequest request;
    request.set_month(month_);
    request.set_all(all_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListPaymentsResponse answer, api->ListPayments(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PrintPayments(session, *lab, answer.currency(), answer.payments(),
                  all_ ? "No payments." : "No payments are open; -a lists those that were made.");
    return 0;
  }

 private:
  std::string month_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminPaymentLs() { return std::make_unique<AdminPaymentLs>(); }

}  // namespace pinka::cli
