// pinka admin node reclaim: see what a reclaim would do.
#include "client/cli/commands.h"
#include "client/cli/core/change_node.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminNodeReclaim final : public Command {
 public:
  Description Describe() const override {
    return {
        "admin node reclaim",
        "NODE --test",
        Group::kAdmin,
        "",
        "Plays a provider's reclaim: what runs on a machine is told so and stopped, and goes on "
        "elsewhere from its newest checkpoint. The machine takes nothing new until it is resumed.",
        "pinka admin node reclaim n1 --test"};
  }

  void Declare(Options& options) override {
    options.Positional("NODE", "the machine", &node_);
    options.Flag("--test", "needed: only a provider makes it earnest", &test_);
  }

  StatusOr<int> Run(Session& session) override {
    if (!test_) {
      return Invalid(
          "say --test: a reclaim can only be played, a real one comes from the provider "
          "(pinka-agent --spot-notice); `pinka admin node drain` lets what runs end first");
    }
    v1::ChangeNodeRequest request;
    request.set_node(node_);
    request.set_verb(v1::ChangeNodeRequest::RECLAIM);
    PINKA_TRY_ASSIGN(const int code, ChangeNode(session, request));
    if (!session.json())
      session.out().Line("It takes work again with: pinka admin node resume " + node_);
    return code;
  }

 private:
  std::string node_;
  bool test_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminNodeReclaim() { return std::make_unique<AdminNodeReclaim>(); }

}  // namespace pinka::cli
