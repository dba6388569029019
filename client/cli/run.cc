// pinka run: submit, follow the log, end as the job ends.
#include <unistd.h>

#include <atomic>

#include "client/cli/commands.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/interrupt.h"
#include "client/cli/core/log_follow.h"
#include "client/cli/core/submitting.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

constexpr int kExitInterrupted = 130;  // 128 + SIGINT, as a shell reports it

// Written past the buffers of the thread that follows the log.
void Say(const std::string& text) {
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void Detach(int64_t job_id) {
  const std::string id = std::to_string(job_id);
  Say("pinka: job " + id + " goes on; pinka logs -f " + id + " follows it\n");
  _exit(kExitInterrupted);
}

void CancelJob(Session& session, int64_t job_id) {
  v1::ChangeJobsRequest request;
  request.set_request_id(session.NewRequestId());
  request.set_verb(v1::ChangeJobsRequest::CANCEL);
  request.add_slices(std::to_string(job_id));
  const auto api = session.Connect();
  const Status status = api.ok() ? (*api)->ChangeJobs(request).status() : api.status();
  Say(status.ok() ? "pinka: cancelling; waiting for its end\n"
                  : "pinka: " + Message(status) + "\n");
}

class RunCommand final : public Command {
 public:
  Description Describe() const override {
    return {"run",
            "[options] -- COMMAND [ARG…] | [options] SCRIPT [ARG…]",
            Group::kRun,
            "submit, follow, exit",
            "Submits as pinka submit does, prints the job's output while it runs, and ends with "
            "the job's exit code. Ctrl-C asks whether to leave the job running or to cancel it.",
            "pinka run --tier t4 --time 10m -- nvidia-smi"};
  }

  void Declare(Options& options) override {
    line_.Declare(options);
    options.Rest("COMMAND", "what to run", &rest_);
  }

  StatusOr<int> Run(Session& session) override {
    const InterruptWatch watch([this, &session] { OnInterrupt(session); });
    PINKA_TRY_ASSIGN(const Prepared prepared, Prepare(session, line_, rest_, false));
    if (!prepared.fields.array.empty()) {
      return Invalid("run follows one task; use submit --array and logs for several");
    }
    PINKA_TRY_ASSIGN(const v1::SubmitJobsResponse response, Send(session, {prepared}));
    job_id_ = response.jobs(0).job_id();
    if (!prepared.fields.quiet) session.Note("pinka: job " + std::to_string(job_id_));
    PINKA_TRY(Follow(session));
    PINKA_TRY_ASSIGN(const std::vector<Watched> ended,
                     WaitForEnd(session, {JobSlice{job_id_, {}}}));
    const int code = ExitCodeOf(ended);
    if (session.json()) PrintOutcomes(session, ended);
    if (code != 0 && !prepared.fields.quiet) session.Note("pinka: job " + cli::Describe(ended[0]));
    return code;
  }

  bool EndsAsTheJob() const override { return true; }

 private:
  // With --json standard output is the object alone, and the log goes nowhere.
  Status Follow(Session& session) {
    if (session.json()) return OkStatus();
    PINKA_TRY_ASSIGN(const v1::Job started, WaitForStart(session, job_id_));
    const Status status = PrintLog(
        session,
        {.task = std::to_string(started.id()), .from_first_attempt = true, .follow = true});
    // A job that was cancelled before its first attempt has no log.
    return ErrorOf(status).exit_code() == kExitNotFound ? OkStatus() : status;
  }

  void OnInterrupt(Session& session) {
    const int64_t job_id = job_id_;
    if (job_id == 0) _exit(kExitInterrupted);
    if (!session.terminal().CanAsk()) Detach(job_id);
    Say("\npinka: d leaves job " + std::to_string(job_id) +
        " running, c cancels it, Enter goes on following: ");
    const std::string answer = ReadAnswer();
    if (answer.starts_with("d")) Detach(job_id);
    if (answer.starts_with("c")) CancelJob(session, job_id);
  }

  SubmitLine line_;
  std::vector<std::string> rest_;
  std::atomic<int64_t> job_id_ = 0;  // read by the thread of Ctrl-C
};

}  // namespace

std::unique_ptr<Command> MakeRun() { return std::make_unique<RunCommand>(); }

}  // namespace pinka::cli
