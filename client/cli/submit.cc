// pinka submit: queue a job.
#include "client/cli/commands.h"
#include "client/cli/core/submitting.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

class Submit final : public Command {
 public:
  Description Describe() const override {
    return {"submit",
            "[options] -- COMMAND [ARG…] | [options] SCRIPT [ARG…]",
            Group::kRun,
            "queue a job",
            "Queues a job and prints its id, what it may cost and when it is expected to start. "
            "The command runs as it was typed, without a shell. A script may carry options in its "
            "first comment lines, as in #PINKA --tier t4 --time 1h; options typed here win.",
            "pinka submit --tier t4 --time 30m --name try -- python3 train.py --lr 0.1"};
  }

  void Declare(Options& options) override {
    line_.Declare(options);
    options.Rest("COMMAND", "what to run", &rest_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const Prepared prepared, Prepare(session, line_, rest_, false));
    waits_ = prepared.fields.wait;
    PINKA_TRY_ASSIGN(const v1::SubmitJobsResponse response, Send(session, prepared));
    PrintSubmitted(session, response, prepared.fields.quiet);
    if (!waits_) return 0;
    PINKA_TRY_ASSIGN(const std::vector<Watched> ended,
                     WaitForEnd(session, {JobSlice{response.jobs(0).job_id(), {}}}));
    if (!prepared.fields.quiet && !session.json()) PrintOutcomes(session, ended);
    return ExitCodeOf(ended);
  }

  bool EndsAsTheJob() const override { return waits_; }

 private:
  SubmitLine line_;
  std::vector<std::string> rest_;
  bool waits_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeSubmit() { return std::make_unique<Submit>(); }

}  // namespace pinka::cli
