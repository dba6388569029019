// pinka prio: the parts of every waiting job's priority.
#include <set>

#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

std::string Points(const v1::PriorityLine& line, const char* name) {
  for (const v1::Factor& factor : line.factors()) {
    if (factor.name() == name) return std::to_string(factor.value());
  }
  return "-";
}

class Prio final : public Command {
 public:
  Description Describe() const override {
    return {"prio",
            "[ID…] [--tier T]",
            Group::kLab,
            "priorities in the queue",
            "Lists waiting jobs in the order of their tier with the parts of their priority, "
            "which sum: fair share + age + class + size - nice. Jobs of members without a share "
            "stand behind all others, whatever their points.",
            "pinka prio --tier a100"};
  }

  void Declare(Options& options) override {
    options.OptionalPositionals("ID", "only these jobs", &ids_);
    options.Value("--tier", "T", "only this tier", &tier_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ListPrioritiesRequest request;
    request.set_tier(tier_);
    for (const std::string& text : ids_) {
      PINKA_TRY_ASSIGN(const int64_t id, ParseJobId(text));
      request.add_job_ids(id);
    }
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListPrioritiesResponse answer, api->ListPriorities(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Print(session, request, answer);
    return 0;
  }

 private:
  static void Print(Session& session, const v1::ListPrioritiesRequest& request,
                    const v1::ListPrioritiesResponse& answer) {
    Table table({{"TIER", 0},
                 {"POS", 0, true},
                 {"ID", 0, true},
                 {"USER", 6},
                 {"PRIORITY", 0, true},
                 {"FAIR", 0, true},
                 {"AGE", 0, true},
                 {"CLASS", 0, true},
                 {"SIZE", 0, true},
                 {"NICE", 0, true},
                 {"NOTE", 8}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    std::set<int64_t> listed;
    for (const v1::PriorityLine& line : answer.lines()) {
      listed.insert(line.job_id());
      table.Row({line.tier(), std::to_string(line.position()), std::to_string(line.job_id()),
                 line.user(), std::to_string(line.priority()), Points(line, "fairShare"),
                 Points(line, "age"), Points(line, "class"), Points(line, "size"),
                 Points(line, "nice"), line.has_share() ? "" : "no share"});
    }
    table.Finish("No jobs wait.");
    if (answer.more())
      session.Note("pinka: only the first " + std::to_string(answer.lines_size()) +
                   " are listed; name a tier or jobs for others");
    for (const int64_t id : request.job_ids()) {
      if (!listed.contains(id))
        session.Note("pinka: job " + std::to_string(id) + " does not wait, or is not yours to see");
    }
  }

  std::vector<std::string> ids_;
  std::string tier_;
};

}  // namespace

std::unique_ptr<Command> MakePrio() { return std::make_unique<Prio>(); }

}  // namespace pinka::cli
