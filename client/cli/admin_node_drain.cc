// pinka admin node drain: start nothing new there.
#include "client/cli/commands.h"
#include "client/cli/core/change_node.h"

namespace pinka::cli {
namespace {

class AdminNodeDrain final : public Command {
 public:
  Description Describe() const override {
    return {"admin node drain",
            "NODE [--reason TEXT]",
            Group::kAdmin,
            "",
            "Lets what runs on a machine end and starts nothing new there.",
            "pinka admin node drain n1 --reason 'new disk'"};
  }

  void Declare(Options& options) override {
    options.Positional("NODE", "the machine", &node_);
    options.Value("--reason", "TEXT", "shown in pinka nodes", &reason_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ChangeNodeRequest request;
    request.set_node(node_);
    request.set_verb(v1::ChangeNodeRequest::DRAIN);
    request.set_reason(reason_);
    return ChangeNode(session, request);
  }

 private:
  std::string node_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Command> MakeAdminNodeDrain() { return std::make_unique<AdminNodeDrain>(); }

}  // namespace pinka::cli
