// pinka lost: what reclaims and faults of machines cost.
#include <algorithm>
#include <cctype>
#include <utility>

#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/window.h"

namespace pinka::cli {
namespace {

class Lost final : public Command {
 public:
  Description Describe() const override {
    return {
        "lost",
        "[--by KEY] [--month M | --from D --to D]",
        Group::kMoney,
        "what machines took with them",
        "Reports the work that reclaims, lost nodes, drains, preemptions and faults of machines "
        "took with them: the time since each attempt's last valid checkpoint, what it cost "
        "whoever paid, and how many had saved nothing. By member, provider, node, tier, source "
        "or job.",
        "pinka lost --by provider --month 2026-11"};
  }

  void Declare(Options& options) override {
    options.Value("--by", "KEY", "member, provider, node, tier, source or job", &by_);
    options.Value("--month", "YYYY-MM", "this month", &month_);
    options.Value("--from", "D", "from this day or time on", &from_);
    options.Value("--to", "D", "up to it, not included", &to_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::GetLostWorkRequest request;
    request.set_by(by_);
    PINKA_TRY(FillMonthOrWindow(session, month_, from_, to_, &request));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetLostWorkResponse answer, api->GetLostWork(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      PrintTable(session, answer);
    }
    return 0;
  }

 private:
  static void PrintTable(Session& session, const v1::GetLostWorkResponse& answer) {
    std::string key = answer.by();
    std::ranges::transform(key, key.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::vector<Column> columns = {
        {key, 8},          {"ATTEMPTS", 0, true}, {"RECLAIMS", 0, true},
        {"LOST", 0, true}, {"COST", 0, true},     {"SAVED NOTHING", 0, true}};
    Table table(columns, session.terminal(),
                [&](std::string_view text) { session.out().Write(text); });
    std::vector<Money> costs;
    for (const v1::LostWorkRow& row : answer.rows()) costs.push_back(MoneyOf(row.amount()));
    costs = SpreadCents(costs);
    for (int i = 0; i < answer.rows_size(); ++i) {
      const v1::LostWorkRow& row = answer.rows(i);
      table.Row(Cells(row, row.key().empty() ? "-" : row.key(), costs[static_cast<size_t>(i)],
                      answer.currency()));
    }
    if (!answer.rows().empty())
      table.Row(Cells(answer.total(), "total", RoundToCents(MoneyOf(answer.total().amount())),
                      answer.currency()));
    table.Finish("Nothing was lost in this window.");
  }

  static std::vector<std::string> Cells(const v1::LostWorkRow& row, const std::string& key,
                                        Money cost, const std::string& currency) {
    return {key,
            std::to_string(row.attempts()),
            std::to_string(row.reclaims()),
            FormatSpan(Duration::Millis(row.lost_ms())),
            FormatAmount(cost, currency),
            std::to_string(row.unsaved())};
  }

  std::string by_ = "member";
  std::string month_;
  std::string from_;
  std::string to_;
};

}  // namespace

std::unique_ptr<Command> MakeLost() { return std::make_unique<Lost>(); }

}  // namespace pinka::cli
