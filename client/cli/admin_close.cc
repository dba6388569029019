// pinka admin close: end a month for good.
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminClose final : public Command {
 public:
  Description Describe() const override {
    return {"admin close",
            "--month YYYY-MM [--force]",
            Group::kAdmin,
            "end a month for good",
            "Closes a month of the lab's zone: nothing is dated in it any more. Refused before its "
            "end, and while work that ran in it has not been metered past the end; with --force "
            "the rest of that is charged in the open month.",
            "pinka admin close --month 2026-10 -y"};
  }

  void Declare(Options& options) override {
    options.Value("--month", "YYYY-MM", "which month", &month_);
    options.Flag("--force", "also where work has not been metered past the end", &force_);
    options.Value("--request-id", "K", "the same key is answered once (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    if (month_.empty()) return Invalid("say which month: --month YYYY-MM");
    PINKA_TRY(session.Confirm("Close " + month_ + "? Nothing in it can be changed after that.",
                              yes_, true));
    v1::CloseMonthRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_month(month_);
    request.set_force(force_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::CloseMonthResponse answer, api->CloseMonth(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    session.out().Line(answer.closed()
                           ? "Closed " + month_ + ", from " +
                                 lab->zone.Full(FromProto(answer.starts_at())) + " to " +
                                 lab->zone.Full(FromProto(answer.ends_at())) + "."
                           : answer.note() + ".");
    for (const std::string& line : answer.late()) session.Note(line);
    return 0;
  }

 private:
  std::string month_;
  bool force_ = false;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminClose() { return std::make_unique<AdminClose>(); }

}  // namespace pinka::cli
