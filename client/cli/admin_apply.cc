// pinka admin apply: make the lab what its file says.
#include "base/file.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminApply final : public Command {
 public:
  Description Describe() const override {
    return {"admin apply",
            "FILE [--dry-run]",
            Group::kAdmin,
            "the lab's file",
            "Makes tiers, prices, members, projects and limits what the file says, and shows the "
            "difference first. What the file does not name stays; what it names with absent = true "
            "goes, with -y only.",
            "pinka admin apply lab.toml --dry-run"};
  }

  void Declare(Options& options) override {
    options.Positional("FILE", "lab.toml", &path_);
    options.Flag("--dry-run", "show the difference and change nothing", &dry_run_);
    options.Value("--request-id", "K", "the same key is applied once (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask; removals too", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ApplyLabRequest request;
    PINKA_TRY_ASSIGN(*request.mutable_toml(), ReadFile(path_));
    request.set_file_name(path_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    const bool asks = !dry_run_ && !yes_ && session.terminal().CanAsk();
    if (dry_run_ || asks) {
      request.set_dry_run(true);
      request.set_request_id(session.NewRequestId());
      PINKA_TRY_ASSIGN(const v1::ApplyLabResponse difference, api->ApplyLab(request));
      if (dry_run_) return Print(session, difference);
      if (difference.changes().empty()) return Print(session, difference);
      for (const std::string& line : difference.changes()) session.Note(line);
      PINKA_TRY(session.Confirm("Apply?", false, false));
    }
    request.set_dry_run(false);
    request.set_allow_removal(yes_ || asks);
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    PINKA_TRY_ASSIGN(const v1::ApplyLabResponse answer, api->ApplyLab(request));
    return Print(session, answer);
  }

 private:
  static int Print(Session& session, const v1::ApplyLabResponse& answer) {
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    for (const std::string& line : answer.changes()) session.out().Line(line);
    session.out().Line(answer.changes().empty() ? "Nothing to change."
                       : answer.applied()       ? "Applied."
                                                : "Nothing was changed (dry run).");
    return 0;
  }

  std::string path_;
  std::string request_id_;
  bool dry_run_ = false;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminApply() { return std::make_unique<AdminApply>(); }

}  // namespace pinka::cli
