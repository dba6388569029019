// pinka edit: change a job that has not ended.
#include "base/parse.h"
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
            "ID [--time D] [--name NAME]",
            Group::kChange,
            "its limit or its name",
            "Changes the time limit or the name of a job that has not ended. A longer limit of a "
            "running job needs the money for it first.",
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
  }

  StatusOr<int> Run(Session& session) override {
    if (!request_.has_time_limit_ms() && !request_.has_name()) {
      return Invalid("nothing to change; write --time D or --name NAME");
    }
    PINKA_TRY_ASSIGN(const int64_t job_id, ParseJobId(id_));
    request_.set_job_id(job_id);
    request_.set_request_id(session.NewRequestId());
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::EditJobResponse answer, api->EditJob(request_));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      session.out().Line(
          "Job " + std::to_string(job_id) + " has a limit of " +
          FormatDuration(Duration::Millis(answer.job().time_limit_ms())) +
          (answer.job().name().empty() ? "" : " and is named " + answer.job().name()));
    }
    return 0;
  }

 private:
  std::string id_;
  v1::EditJobRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeEdit() { return std::make_unique<Edit>(); }

}  // namespace pinka::cli
