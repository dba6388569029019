// pinka release: let a held one start.
#include "client/cli/commands.h"
#include "client/cli/core/change.h"

namespace pinka::cli {
namespace {

class Release final : public Command {
 public:
  Description Describe() const override {
    return {"release",
            "ID [ID…]",
            Group::kChange,
            "let a held one start",
            "Lets held jobs or tasks queue again, in their old place.",
            "pinka release 36_[5-9]"};
  }

  void Declare(Options& options) override {
    options.Positionals("ID", "jobs or tasks: 36, 36_1, 36_[1-3,7]", &ids_);
    options.Value("--reason", "TEXT", "kept with the job", &reason_);
  }

  StatusOr<int> Run(Session& session) override {
    return ChangeSlices(session, v1::ChangeJobsRequest::RELEASE, ids_, reason_, "released");
  }

 private:
  std::vector<std::string> ids_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Command> MakeRelease() { return std::make_unique<Release>(); }

}  // namespace pinka::cli
