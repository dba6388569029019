// pinka admin node verify: what a machine really is.
#include <chrono>
#include <thread>

#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

constexpr auto kAskAgain = std::chrono::milliseconds(200);
constexpr Duration kPatience = Duration::Minutes(2);  // an agent asks four times, 60 s at most each

class AdminNodeVerify final : public Command {
 public:
  Description Describe() const override {
    return {"admin node verify",
            "NODE [--last]",
            Group::kAdmin,
            "",
            "Has a machine check its cards now, and prints what it found with the evidence. With "
            "--last the newest check that is kept. Exit 1 unless it is OK.",
            "pinka admin node verify n1"};
  }

  void Declare(Options& options) override {
    options.Positional("NODE", "the machine", &node_);
    options.Flag("--last", "print what is known, check nothing", &last_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    if (!last_) {
      v1::ChangeNodeRequest request;
      request.set_request_id(session.NewRequestId());
      request.set_node(node_);
      request.set_verb(v1::ChangeNodeRequest::VERIFY);
      PINKA_TRY(api->ChangeNode(request).status());
    }
    PINKA_TRY_ASSIGN(const v1::ListHardwareChecksResponse answer, Await(session, *api));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      Print(session, answer);
    }
    const bool ok =
        answer.checks_size() > 0 && answer.checks(0).report().verdict() == v1::HardwareReport::OK;
    return ok ? 0 : 1;
  }

 private:
  // Until the demand is answered: an agent that does not answer is told of with what is known.
  StatusOr<v1::ListHardwareChecksResponse> Await(Session& session, Api& api) {
    v1::ListHardwareChecksRequest request;
    request.set_node(node_);
    request.set_limit(1);
    const Timestamp until = session.Now() + kPatience;
    int64_t demanded = 0;
    for (;;) {
      PINKA_TRY_ASSIGN(v1::ListHardwareChecksResponse answer, api.ListHardwareChecks(request));
      if (demanded == 0) demanded = answer.demanded();
      const bool answered =
          answer.checks_size() > 0 && answer.checks(0).report().demand() >= demanded;
      if (last_ || answered) return answer;
      if (session.Now() > until) {
        session.Note("the agent of " + node_ +
                     " has not answered; this is the newest that is known");
        return answer;
      }
      std::this_thread::sleep_for(kAskAgain);
    }
  }

  void Print(Session& session, const v1::ListHardwareChecksResponse& answer) const {
    if (answer.checks_size() == 0)
      return session.out().Line("No check of " + node_ +
                                " is known: its cards are simulated, or it has none.");
    const v1::HardwareReport& report = answer.checks(0).report();
    session.out().Line("Node " + node_ + ": " + v1::HardwareReport::Verdict_Name(report.verdict()) +
                       ", " + report.why() + " (" + report.cause() + ")");
    session.out().Line("");
    session.out().Write(report.evidence());
  }

  std::string node_;
  bool last_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminNodeVerify() { return std::make_unique<AdminNodeVerify>(); }

}  // namespace pinka::cli
