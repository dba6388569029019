// pinka admin package close: its end, now.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/portions.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminPackageClose final : public Command {
 public:
  Description Describe() const override {
    return {"admin package close",
            "ID --reason TEXT",
            Group::kAdmin,
            "end a package early",
            "Ends a package before its time: what is left of each portion lapses, as it would have "
            "at the end. Refused while work runs on it.",
            "pinka admin package close 12 --reason 'the provider has shut down' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "as pinka admin package ls prints it", &id_);
    options.Value("--reason", "TEXT", "kept with the entries", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const int64_t id, ParseInt(id_, 1, INT64_MAX, "the package's id"));
    if (reason_.empty()) return Invalid("say why: --reason TEXT");
    PINKA_TRY(session.Confirm("Close package " + id_ + "? What is left of its hours lapses now.",
                              yes_, true));
    v1::ClosePackageRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_package_id(id);
    request.set_reason(reason_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ClosePackageResponse answer, api->ClosePackage(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PrintPackage(session, *lab, answer.currency(), answer.package());
    return 0;
  }

 private:
  std::string id_;
  std::string reason_;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminPackageClose() { return std::make_unique<AdminPackageClose>(); }

}  // namespace pinka::cli
