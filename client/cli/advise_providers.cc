// pinka advise providers: how they bill, and what catches newcomers.
#include "advise/answers.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdviseProviders final : public Command {
 public:
  Description Describe() const override {
    return {
        "advise providers",
        "[NAME]",
        Group::kAdvice,
        "how providers bill",
        "Billing rules, notice before a spot machine is taken, and traps, provider by provider. "
        "Works without a scheduler.",
        "pinka advise providers AutoDL"};
  }

  void Declare(Options& options) override {
    options.OptionalPositional("NAME", "only this one", &name_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ListProvidersRequest request;
    request.set_name(name_);
    PINKA_TRY_ASSIGN(const v1::ListProvidersResponse answer, advise::ListProviders(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    if (name_.empty()) {
      PrintAll(session, answer);
    } else {
      PrintOne(session.out(), answer.providers(0));
    }
    session.out().Line("Read in " + answer.facts_of() + "; rules change: look before paying.");
    return 0;
  }

 private:
  void PrintAll(Session& session, const v1::ListProvidersResponse& answer) {
    Table table({{"PROVIDER", 0}, {"COUNTED BY", 10}, {"MINIMUM", 7}, {"SPOT", 12}, {"TRAP", 20}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Provider& p : answer.providers())
      table.Row({p.name(), p.counted(), p.minimum(), p.spot(), p.trap()});
    table.Finish("");
  }

  void PrintOne(Out& out, const v1::Provider& p) {
    out.Line(p.name() + " (" + p.region() + ")");
    const std::pair<const char*, std::string> rows[] = {
        {"counted by", p.counted()}, {"minimum", p.minimum()}, {"when stopped", p.stopped()},
        {"spot", p.spot()},          {"egress", p.egress()},   {"the guide", p.offer()},
        {"trap", p.trap()}};
    for (const auto& [title, text] : rows) {
      if (!text.empty()) out.Line("  " + std::string(title) + ": " + text);
    }
  }

  std::string name_;
};

}  // namespace

std::unique_ptr<Command> MakeAdviseProviders() { return std::make_unique<AdviseProviders>(); }

}  // namespace pinka::cli
