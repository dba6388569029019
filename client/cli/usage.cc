// pinka usage: who used what, and what it cost.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/report_file.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/usage_report.h"
#include "client/cli/core/watch.h"
#include "client/cli/core/window.h"

namespace pinka::cli {
namespace {

const std::vector<std::string>& Keys() {
  static const std::vector<std::string> keys = {"member", "project", "tier",  "source",
                                                "node",   "day",     "month", "job"};
  return keys;
}

class Usage final : public Command {
 public:
  Description Describe() const override {
    return {"usage",
            "[--by KEY] [--user U …] [--month M | --from D --to D] [--csv F | --html F]",
            Group::kMoney,
            "who spent what",
            "Reports unit-hours and money by member (or project, tier, source, node, day, month, "
            "job), of all or of what the filters leave. The window begins with --from and ends "
            "before --to, in the lab's zone; the lab has a row of its own, and all rows sum to the "
            "total.",
            "pinka usage --by tier --month 2026-11 --csv november.csv"};
  }

  void Declare(Options& options) override {
    options.Value("--by", "KEY", "member, project, tier, source, node, day, month or job", &by_);
    options.Value("--user", "U", "only this member", &user_);
    options.Value("--project", "P", "only this project", &project_);
    options.Value("--tier", "T", "only this tier", &tier_);
    options.Value("--source", "S", "only owned, package, spot, on_demand or trial", &source_);
    options.Value("--node", "N", "only this node", &node_);
    options.Value("--job", "ID", "only this job", &job_);
    options.Value("--month", "YYYY-MM", "this month", &month_);
    options.Value("--from", "D", "from this day or time on", &from_);
    options.Value("--to", "D", "up to it, not included", &to_);
    file_.Declare(options, true);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY(file_.Check(session));
    PINKA_TRY_ASSIGN(const v1::GetUsageRequest request, BuildRequest(session));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetUsageResponse answer, api->GetUsage(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else if (file_.csv()) {
      PINKA_TRY(file_.Save(session, file_.CsvStart() + UsageCsv(answer)));
    } else if (file_.html()) {
      PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
      PINKA_TRY(file_.Save(session, RenderHtml(UsagePage(answer, *lab, Filters()))));
    } else {
      PrintTable(session, answer);
    }
    return 0;
  }

 private:
  StatusOr<v1::GetUsageRequest> BuildRequest(Session& session) const {
    if (std::find(Keys().begin(), Keys().end(), by_) == Keys().end()) {
      const std::string nearest = Nearest(by_, Keys());
      return Invalid(
          "--by knows no '" + SanitizeForTerminal(by_) + "'; " +
          (nearest.empty() ? "--help lists what it knows" : "did you mean " + nearest + "?"));
    }
    v1::GetUsageRequest request;
    request.set_by(by_);
    request.set_user(user_);
    request.set_project(project_);
    request.set_tier(tier_);
    request.set_source(source_);
    request.set_node(node_);
    if (!job_.empty()) {
      PINKA_TRY_ASSIGN(const int64_t job_id, ParseJobId(job_));
      request.set_job_id(job_id);
    }
    PINKA_TRY(FillMonthOrWindow(session, month_, from_, to_, &request));
    return request;
  }

  // "tier a100, user 王芳"
  std::string Filters() const {
    std::string text;
    const std::pair<const char*, const std::string*> filters[] = {
        {"user ", &user_},     {"project ", &project_}, {"tier ", &tier_},
        {"source ", &source_}, {"node ", &node_},       {"job ", &job_}};
    for (const auto& [name, value] : filters) {
      if (!value->empty()) text += (text.empty() ? "" : ", ") + (name + *value);
    }
    return text;
  }

  static void PrintTable(Session& session, const v1::GetUsageResponse& answer) {
    std::vector<Column> columns;
    for (const std::string& title : UsageTitles(answer.by())) columns.push_back({title, 0, true});
    columns[0] = {columns[0].title, 8};
    for (size_t i = 6; i < columns.size(); ++i) columns[i].min = 6;
    Table table(columns, session.terminal(),
                [&](std::string_view text) { session.out().Write(text); });
    for (std::vector<std::string>& cells : UsageCells(answer)) table.Row(std::move(cells));
    table.Finish("Nothing was used in this window.");
  }

  std::string by_ = "member";
  std::string user_;
  std::string project_;
  std::string tier_;
  std::string source_;
  std::string node_;
  std::string job_;
  std::string month_;
  std::string from_;
  std::string to_;
  ReportFile file_;
};

}  // namespace

std::unique_ptr<Command> MakeUsage() { return std::make_unique<Usage>(); }

}  // namespace pinka::cli
