// pinka requeue: stop it and run it again.
#include "client/cli/commands.h"
#include "client/cli/core/change.h"

namespace pinka::cli {
namespace {

class Requeue final : public Command {
 public:
  Description Describe() const override {
    return {"requeue",
            "ID [ID…]",
            Group::kChange,
            "stop it and run it again",
            "Stops running jobs or tasks and queues them again as a new attempt. For ended ones "
            "there is pinka resubmit.",
            "pinka requeue 17"};
  }

  void Declare(Options& options) override {
    options.Positionals("ID", "jobs or tasks: 36, 36_1, 36_[1-3,7]", &ids_);
    options.Value("--reason", "TEXT", "kept with the job", &reason_);
  }

  StatusOr<int> Run(Session& session) override {
    return ChangeSlices(session, v1::ChangeJobsRequest::REQUEUE, ids_, reason_, "requeued");
  }

 private:
  std::vector<std::string> ids_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Command> MakeRequeue() { return std::make_unique<Requeue>(); }

}  // namespace pinka::cli
