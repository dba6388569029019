// pinka pool: what each tier cost, and what became of it.
#include <utility>

#include "client/cli/commands.h"
#include "client/cli/core/pool_report.h"
#include "client/cli/core/report_file.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/window.h"

namespace pinka::cli {
namespace {

class Pool final : public Command {
 public:
  Description Describe() const override {
    return {
        "pool",
        "[--month M | --from D --to D] [--csv F | --html F]",
        Group::kMoney,
        "used, idle, wasted",
        "Shows what each tier cost the lab and what became of it: used by jobs, wasted by "
        "attempts that failed or were lost, idle, or other (minimum and rounding, disk, egress, "
        "variance of price less vouchers). The parts of a tier are 100 %. For admins; in an "
        "open lab for everybody.",
        "pinka pool --month 2026-11"};
  }

  void Declare(Options& options) override {
    options.Value("--month", "YYYY-MM", "this month", &month_);
    options.Value("--from", "D", "from this day or time on", &from_);
    options.Value("--to", "D", "up to it, not included", &to_);
    file_.Declare(options, true);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY(file_.Check(session));
    PINKA_TRY_ASSIGN(const v1::GetPoolRequest request, BuildRequest(session));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetPoolResponse answer, api->GetPool(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else if (file_.csv()) {
      PINKA_TRY(file_.Save(session, file_.CsvStart() + PoolCsv(answer)));
    } else if (file_.html()) {
      PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
      PINKA_TRY(file_.Save(session, RenderHtml(PoolPage(answer, *lab))));
    } else {
      Table table(PoolColumns(), session.terminal(),
                  [&](std::string_view text) { session.out().Write(text); });
      for (std::vector<std::string>& cells : PoolCells(answer)) table.Row(std::move(cells));
      table.Finish("Nothing was paid in this window.");
    }
    return 0;
  }

 private:
  StatusOr<v1::GetPoolRequest> BuildRequest(Session& session) const {
    v1::GetPoolRequest request;
    PINKA_TRY(FillMonthOrWindow(session, month_, from_, to_, &request));
    return request;
  }

  std::string month_;
  std::string from_;
  std::string to_;
  ReportFile file_;
};

}  // namespace

std::unique_ptr<Command> MakePool() { return std::make_unique<Pool>(); }

}  // namespace pinka::cli
