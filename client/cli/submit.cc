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
    return {
        "submit",
        "[options] -- COMMAND [ARG…] | [options] SCRIPT [ARG…] | --jobs FILE",
        Group::kRun,
        "queue a job",
        "Queues a job and prints its id, what it may cost and when it is expected to start. "
        "The command runs as it was typed, without a shell. A script may carry options in its "
        "first comment lines, as in #PINKA --tier t4 --time 1h; options typed here win. A file of "
        "jobs ([[job]] tables) submits several that name each other, all or none.",
        "pinka submit --tier t4 --time 30m --name try -- python3 train.py --lr 0.1"};
  }

  void Declare(Options& options) override {
    line_.Declare(options);
    options.Value("--jobs", "FILE", "the jobs of a TOML file, which may wait for each other (@ref)",
                  &jobs_);
    options.Rest("COMMAND", "what to run", &rest_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const PreparedJobs prepared, PrepareAll(session));
    const SubmitFields& fields = prepared.front().fields;
    waits_ = fields.wait;
    PINKA_TRY_ASSIGN(const v1::SubmitJobsResponse response, Send(session, prepared));
    if (jobs_.empty()) {
      PrintSubmitted(session, response, fields.quiet);
    } else {
      PrintSubmitted(session, prepared, response, fields.quiet);
    }
    if (!waits_) return 0;
    std::vector<JobSlice> slices;
    for (const v1::SubmittedJob& job : response.jobs()) slices.push_back({job.job_id(), {}});
    PINKA_TRY_ASSIGN(const std::vector<Watched> ended, WaitForEnd(session, slices));
    if (!fields.quiet && !session.json()) PrintOutcomes(session, ended);
    return ExitCodeOf(ended);
  }

  bool EndsAsTheJob() const override { return waits_; }

 private:
  StatusOr<PreparedJobs> PrepareAll(Session& session) {
    if (!jobs_.empty()) {
      if (!rest_.empty()) return Invalid("--jobs names what to run; leave the command out");
      return PrepareFile(session, line_, jobs_);
    }
    PINKA_TRY_ASSIGN(Prepared prepared, Prepare(session, line_, rest_, false));
    return PreparedJobs{std::move(prepared)};
  }

  SubmitLine line_;
  std::string jobs_;
  std::vector<std::string> rest_;
  bool waits_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeSubmit() { return std::make_unique<Submit>(); }

}  // namespace pinka::cli
