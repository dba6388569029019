// pinka admin payment done: a payment between members was made.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/payments.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminPaymentDone final : public Command {
 public:
  Description Describe() const override {
    return {"admin payment done",
            "ID --ref TEXT",
            Group::kAdmin,
            "mark a payment as made",
            "Books that one member has handed another what was proposed. Marked again it stays as "
            "it was.",
            "pinka admin payment done 31 --ref 'bank transfer of 3 November' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "as pinka admin payment ls prints it", &id_);
    options.Value("--ref", "TEXT", "how it was made; kept with the entry", &ref_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const int64_t id, ParseInt(id_, 1, INT64_MAX, "the payment's id"));
    if (ref_.empty()) return Invalid("say how it was made: --ref TEXT");
    PINKA_TRY(session.Confirm("Mark payment " + id_ + " as made?", yes_, true));
    v1::MarkPaidRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_payment_id(id);
    request.set_ref(ref_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::MarkPaidResponse answer, api->MarkPaid(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Payments one;
    *one.Add() = answer.payment();
    PrintPayments(session, *lab, answer.currency(), one, "");
    if (!answer.note().empty()) session.Note(answer.note() + ".");
    return 0;
  }

 private:
  std::string id_;
  std::string ref_;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminPaymentDone() { return std::make_unique<AdminPaymentDone>(); }

}  // namespace pinka::cli
