// pinka cancel: end jobs for good.
#include "client/cli/commands.h"
#include "client/cli/core/change.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Cancel final : public Command {
 public:
  Description Describe() const override {
    return {"cancel",
            "ID [ID…]",
            Group::kChange,
            "end it for good",
            "Ends jobs or tasks: those that wait leave the queue, those that run get TERM, their "
            "grace, and KILL. What has ended already stays as it is. On a terminal it asks before "
            "it ends more than one job.",
            "pinka cancel 36_[1-3,7]"};
  }

  void Declare(Options& options) override {
    options.Positionals("ID", "jobs or tasks: 36, 36_1, 36_[1-3,7]", &ids_);
    options.Value("--reason", "TEXT", "kept with the job", &reason_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    if (ids_.size() > 1) {
      PINKA_TRY(session.Confirm("Cancel " + std::to_string(ids_.size()) + " jobs?", yes_, false));
    }
    return ChangeSlices(session, v1::ChangeJobsRequest::CANCEL, ids_, reason_, "cancelled");
  }

 private:
  std::vector<std::string> ids_;
  std::string reason_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCancel() { return std::make_unique<Cancel>(); }

}  // namespace pinka::cli
