// pinka hold: keep it from starting.
#include "client/cli/commands.h"
#include "client/cli/core/change.h"

namespace pinka::cli {
namespace {

class Hold final : public Command {
 public:
  Description Describe() const override {
    return {"hold",
            "ID [ID…]",
            Group::kChange,
            "keep it from starting",
            "Keeps waiting jobs or tasks from starting until they are released. What runs goes on.",
            "pinka hold 36"};
  }

  void Declare(Options& options) override {
    options.Positionals("ID", "jobs or tasks: 36, 36_1, 36_[1-3,7]", &ids_);
    options.Value("--reason", "TEXT", "kept with the job", &reason_);
  }

  StatusOr<int> Run(Session& session) override {
    return ChangeSlices(session, v1::ChangeJobsRequest::HOLD, ids_, reason_, "held");
  }

 private:
  std::vector<std::string> ids_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Command> MakeHold() { return std::make_unique<Hold>(); }

}  // namespace pinka::cli
