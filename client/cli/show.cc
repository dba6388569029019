// pinka show: everything about a job.
#include "base/parse.h"
#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/job_text.h"
#include "client/cli/core/outcome.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

// Keeps the tasks that were asked for.
void KeepTasks(const RangeSet& indices, v1::Job* job) {
  if (indices.empty()) return;
  google::protobuf::RepeatedPtrField<v1::Task> kept;
  for (const v1::Task& task : job->tasks()) {
    const auto slice = ParseJobSlice(task.id());
    if (slice.ok() && !slice->indices.Intersect(indices).empty()) *kept.Add() = task;
  }
  job->mutable_tasks()->Swap(&kept);
}

class JobPage {
 public:
  JobPage(Session& session, const Lab& lab, const v1::Job& job)
      : out_(session.out()), lab_(lab), job_(job) {}

  void Print() {
    Line("Job", std::to_string(job_.id()));
    Line("Name", job_.name());
    Line("Owner", job_.user() + (job_.project().empty() ? "" : ", project " + job_.project()));
    Line("State", StateText());
    Line("Tasks", job_.task_count() > 1 ? TasksText() : "");
    Line("Tier", TierText(job_) + ", " + ShapeText());
    Line("Time limit", FormatDuration(Duration::Millis(job_.time_limit_ms())));
    Line("Warning", job_.signal());
    Line("Source", job_.source());
    for (const std::string& sweep : job_.sweep()) Line("Sweep", sweep);
    Line("Command", job_.command());
    Line("Directory", job_.chdir());
    Line("Code", job_.code());
    Environment();
    Line("Comment", job_.comment());
    Line("Dependency", job_.dependency());
    if (job_.has_begin_at()) Line("Begins", lab_.zone.Full(FromProto(job_.begin_at())));
    if (job_.night()) Line("Night", "starts in the lab's nights only");
    if (job_.has_deadline_at()) Line("Deadline", lab_.zone.Full(FromProto(job_.deadline_at())));
    Line("Submitted", lab_.zone.Full(FromProto(job_.submitted_at())));
    if (job_.has_expected_start_at()) {
      Line("Expected", lab_.zone.Full(FromProto(job_.expected_start_at())));
    }
    if (job_.has_ended_at()) Line("Ended", lab_.zone.Full(FromProto(job_.ended_at())));
    Line("Charged", Amount(job_.charged(), lab_.currency));
    Line("Committed", Amount(job_.committed(), lab_.currency));
    if (!job_.max_cost().empty()) Line("At most", Amount(job_.max_cost(), lab_.currency));
    if (!job_.need_cuda().empty()) Line("CUDA", job_.need_cuda() + " or newer");
    if (!job_.max_rate().empty()) Line("Rate up to", Amount(job_.max_rate(), lab_.currency));
    for (const v1::Task& task : job_.tasks()) PrintTask(task);
  }

 private:
  void Line(const std::string& title, const std::string& text) {
    constexpr int kTitleColumns = 12;
    if (text.empty() || text == "-") return;
    out_.Line(PadRight(title, kTitleColumns) + SanitizeForTerminal(text));
  }

  std::string StateText() const {
    std::string text = StateName(job_.state());
    const std::string& why = job_.reason_text().empty() ? job_.reason() : job_.reason_text();
    if (!why.empty()) text += ": " + why;
    if (job_.position() > 0)
      text += " (number " + std::to_string(job_.position()) + " in its tier)";
    return text;
  }

  std::string TasksText() const {
    const std::string counts = TaskCountsText(job_);
    return std::to_string(job_.task_count()) + " (" + job_.array() + ")" +
           (counts.empty() ? "" : ": " + counts);
  }

  std::string ShapeText() const {
    std::string text = std::to_string(job_.gpus()) + (job_.gpus() == 1 ? " GPU" : " GPUs");
    if (job_.cpus() > 0) text += ", " + std::to_string(job_.cpus()) + " cores";
    if (job_.memory_bytes() > 0) text += ", " + FormatMemory(job_.memory_bytes());
    return text + ", billed as " + std::to_string(job_.units()) +
           (job_.units() == 1 ? " unit" : " units");
  }

  void Environment() {
    if (!job_.env().empty()) {
      for (const v1::EnvVar& var : job_.env()) {
        Line("Variable", var.name() + "=" + ShellQuote({var.value()}));
      }
      return;
    }
    std::string names;
    for (const std::string& name : job_.env_names()) names += (names.empty() ? "" : " ") + name;
    if (!names.empty()) Line("Variables", names + " (values: --env)");
  }

  void PrintTask(const v1::Task& task) {
    const std::string end = EndText(task);
    out_.Line("");
    out_.Line("Task " + task.id() + "  " + StateName(task.state()) +
              (end.empty() ? "" : ", " + end));
    Line("  Sweep", SweepPointText(job_, task.id()));
    for (const v1::Attempt& attempt : task.attempts()) PrintAttempt(attempt);
  }

  void PrintAttempt(const v1::Attempt& attempt) {
    std::string head = "  Attempt " + std::to_string(attempt.number()) + " on " + attempt.node() +
                       "  " + AttemptStateName(attempt.state());
    if (!attempt.end_reason().empty()) head += ", " + attempt.end_reason();
    out_.Line(SanitizeForTerminal(head));
    Line("    Began", lab_.zone.Full(FromProto(attempt.started_at())));
    Line("    Ended", lab_.zone.Full(FromProto(attempt.ended_at())));
    Line("    Phases", PhasesText(attempt));
    Line("    Memory", MemoryText(attempt));
    Line("    Metered",
         FormatSpan(Duration::Millis(attempt.metered_ms())) + " " + attempt.source() +
             (attempt.package_id() != 0 ? " " + std::to_string(attempt.package_id()) : "") +
             " at " + Amount(attempt.rate(), lab_.currency) + " a unit-hour");
    std::string charged = Amount(attempt.charged(), lab_.currency);
    for (const v1::PayerShare& share : attempt.payers()) {
      charged += ", " + share.payer() + " " + Amount(share.amount(), lab_.currency);
    }
    Line("    Charged", charged);
    Line("    Saved", CheckpointText(attempt));
    Line("    Message", attempt.message());
  }

  // "queue 1m30s, staging 2s (lab), run 10m (alice)"; those without an end go on.
  std::string PhasesText(const v1::Attempt& attempt) const {
    std::string text;
    for (const v1::Phase& phase : attempt.phases()) {
      text += (text.empty() ? "" : ", ") + phase.name();
      if (!phase.has_ended_at()) {
        text += " since " + lab_.zone.Full(FromProto(phase.started_at()));
      } else {
        text += " " + FormatSpan(FromProto(phase.ended_at()) - FromProto(phase.started_at()));
      }
      if (phase.payer() != "nobody") text += " (" + phase.payer() + ")";
    }
    return text;
  }

  // "at most 12G, 17408M of a card"
  static std::string MemoryText(const v1::Attempt& attempt) {
    std::string text;
    if (attempt.peak_memory_bytes() > 0)
      text = "at most " + FormatMemory(attempt.peak_memory_bytes());
    if (attempt.peak_gpu_memory_bytes() > 0)
      text += (text.empty() ? "at most " : ", ") + FormatMemory(attempt.peak_gpu_memory_bytes()) +
              " of a card";
    return text;
  }

  // "generation 12 after 40m; 3m20s after it were lost"
  static std::string CheckpointText(const v1::Attempt& attempt) {
    if (attempt.checkpoint_ms() == 0) return "";
    std::string text = attempt.checkpoints().empty()
                           ? "one"
                           : "generation " + std::to_string(attempt.checkpoints().rbegin()[0]);
    text += " after " + FormatSpan(Duration::Millis(attempt.checkpoint_ms()));
    const int64_t lost_ms = attempt.metered_ms() - attempt.checkpoint_ms();
    const bool finished = attempt.end_reason() == "Exited" || attempt.end_reason().empty();
    if (!finished && lost_ms > 0)
      text += "; " + FormatSpan(Duration::Millis(lost_ms)) + " after it were lost";
    return text;
  }

  Out& out_;
  const Lab& lab_;
  const v1::Job& job_;
};

class Show final : public Command {
 public:
  Description Describe() const override {
    return {"show",
            "ID",
            Group::kFollow,
            "everything about a job",
            "Shows a job with its tasks and attempts: states, times, nodes, exit codes and what "
            "each cost. The command is quoted so that it pastes back into a shell as it was. "
            "Values of variables are shown with --env only, and to their owner only.",
            "pinka show 36_1"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "a job, or some of its tasks: 36, 36_1, 36_[1-3,7]", &id_);
    options.Flag("--env", "the values of its variables too", &with_env_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const JobSlice slice, ParseJobSlice(id_));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    v1::GetJobRequest request;
    request.set_job_id(slice.job);
    request.set_with_env(with_env_);
    PINKA_TRY_ASSIGN(v1::GetJobResponse answer, api->GetJob(request));
    KeepTasks(slice.indices, answer.mutable_job());
    if (answer.job().command().empty() && !answer.job().argv().empty()) {
      answer.mutable_job()->set_command(
          ShellQuote({answer.job().argv().begin(), answer.job().argv().end()}));
    }
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    JobPage(session, *lab, answer.job()).Print();
    return 0;
  }

 private:
  std::string id_;
  bool with_env_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeShow() { return std::make_unique<Show>(); }

}  // namespace pinka::cli
