// pinka edit: change a job that has not ended.
#include "base/parse.h"
#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/submit_options.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

class Edit final : public Command {
 public:
  Description Describe() const override {
    return {"edit",
            "ID [--time D] [--name NAME] [--dependency SPEC] [--tier T]",
            Group::kChange,
            "limit, name, tier, …",
            "Changes a job that has not ended. A longer limit of a running job needs the money for "
            "it first; what it waits for, and its tier, change only while nothing of it runs.",
            "pinka edit 17 --time 2h"};
  }

  void Declare(Options& options) override {
    options.Positional("ID", "the job", &id_);
    options.Custom("--time", "D", "the new limit, counted from the start",
                   [this](const std::string& text) -> Status {
                     PINKA_TRY_ASSIGN(const Duration limit, ParseDuration(text));
                     request_.set_time_limit_ms(limit.millis());
                     return OkStatus();
                   });
    options.Custom("--name", "NAME", "the new name", [this](const std::string& text) -> Status {
      PINKA_TRY_ASSIGN(const std::string name, CheckName(text));
      request_.set_name(name);
      return OkStatus();
    });
    options.Custom("--dependency", "SPEC", "what it waits for, as of submit; \"\" for nothing",
                   [this](const std::string& text) -> Status {
                     if (!IsValidUtf8(text)) return Invalid("it is not valid UTF-8");
                     request_.set_dependency(text);
                     return OkStatus();
                   });
    options.Custom("--tier", "T", "the class of hardware",
                   [this](const std::string& text) -> Status {
                     if (text.empty() || !IsValidUtf8(text))
                       return Invalid("write the name of a tier");
                     request_.set_tier(text);
                     return OkStatus();
                   });
  }

  StatusOr<int> Run(Session& session) override {
    if (!request_.has_time_limit_ms() && !request_.has_name() && !request_.has_dependency() &&
        request_.tier().empty()) {
      return Invalid("nothing to change; write --time, --name, --dependency or --tier");
    }
    PINKA_TRY_ASSIGN(const int64_t job_id, ParseJobId(id_));
    request_.set_job_id(job_id);
    request_.set_request_id(session.NewRequestId());
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::EditJobResponse answer, api->EditJob(request_));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      session.out().Line(Told(answer.job()));
    }
    return 0;
  }

 private:
  // What it is now, of what was asked to change; the limit in any case.
  std::string Told(const v1::Job& job) const {
    std::string text = "Job " + std::to_string(job.id()) + " has a limit of " +
                       FormatDuration(Duration::Millis(job.time_limit_ms()));
    if (!job.name().empty()) text += " and is named " + job.name();
    if (!request_.tier().empty()) text += ", in tier " + job.tier();
    if (request_.has_dependency())
      text += job.dependency().empty() ? ", waits for no other" : ", waits for " + job.dependency();
    return SanitizeForTerminal(text);
  }

  std::string id_;
  v1::EditJobRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeEdit() { return std::make_unique<Edit>(); }

}  // namespace pinka::cli
