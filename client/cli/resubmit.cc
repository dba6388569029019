// pinka resubmit: the same job again, as a new one.
#include "client/cli/commands.h"
#include "client/cli/core/submitting.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

class Resubmit final : public Command {
 public:
  Description Describe() const override {
    return {"resubmit",
            "ID",
            Group::kRun,
            "the same job, as a new",
            "Submits a new job with the command, environment and options of an old one of yours.",
            "pinka resubmit 17"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "the job to take after", &id_);
    options.Value("--request-id", "K", "the same key gives the same job again (default: random)",
                  &request_id_);
    options.Flag("-q,--quiet", "print the id only", &quiet_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ResubmitJobRequest request;
    PINKA_TRY_ASSIGN(const int64_t job_id, ParseJobId(id_));
    request.set_job_id(job_id);
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::SubmitJobsResponse answer, api->ResubmitJob(request));
    if (answer.jobs_size() != 1) return Internal("the server answered without a job");
    PrintSubmitted(session, answer, quiet_);
    return 0;
  }

 private:
  std::string id_;
  std::string request_id_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeResubmit() { return std::make_unique<Resubmit>(); }

}  // namespace pinka::cli
