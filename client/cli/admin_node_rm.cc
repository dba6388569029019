// pinka admin node rm: a machine that is gone.
#include "client/cli/commands.h"
#include "client/cli/core/change_node.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminNodeRm final : public Command {
 public:
  Description Describe() const override {
    return {"admin node rm",
            "NODE [--dead]",
            Group::kAdmin,
            "",
            "Removes a machine. With --dead you vouch that it is gone for certain: what ran there "
            "counts as over and may start elsewhere.",
            "pinka admin node rm n1 --dead -y"};
  }

  void Declare(Options& options) override {
    options.Positional("NODE", "the machine", &node_);
    options.Flag("--dead", "it is gone for certain, nothing runs there any more", &dead_);
    options.Value("--reason", "TEXT", "kept with the node", &reason_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY(
        session.Confirm("Remove node " + node_ + (dead_ ? " as dead" : "") + "?", yes_, true));
    v1::ChangeNodeRequest request;
    request.set_node(node_);
    request.set_verb(v1::ChangeNodeRequest::REMOVE);
    request.set_reason(reason_);
    request.set_dead(dead_);
    return ChangeNode(session, request);
  }

 private:
  std::string node_;
  std::string reason_;
  bool dead_ = false;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminNodeRm() { return std::make_unique<AdminNodeRm>(); }

}  // namespace pinka::cli
