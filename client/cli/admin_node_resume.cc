// pinka admin node resume: let it take work again.
#include "client/cli/commands.h"
#include "client/cli/core/change_node.h"

namespace pinka::cli {
namespace {

class AdminNodeResume final : public Command {
 public:
  Description Describe() const override {
    return {"admin node resume",
            "NODE [--reason TEXT]",
            Group::kAdmin,
            "",
            "Lets a drained or quarantined machine take work again.",
            "pinka admin node resume n1"};
  }

  void Declare(Options& options) override {
    options.Positional("NODE", "the machine", &node_);
    options.Value("--reason", "TEXT", "shown in pinka nodes", &reason_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ChangeNodeRequest request;
    request.set_node(node_);
    request.set_verb(v1::ChangeNodeRequest::RESUME);
    request.set_reason(reason_);
    return ChangeNode(session, request);
  }

 private:
  std::string node_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Command> MakeAdminNodeResume() { return std::make_unique<AdminNodeResume>(); }

}  // namespace pinka::cli
