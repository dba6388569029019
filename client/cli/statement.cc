// pinka statement: a member's month, from the opening to the closing.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/report_file.h"
#include "client/cli/core/session.h"
#include "client/cli/core/statement_report.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Statement final : public Command {
 public:
  Description Describe() const override {
    return {
        "statement",
        "[--month M] [--user U] [--csv F | --html F]",
        Group::kMoney,
        "a month, line by line",
        "Shows what lay in your lots when the month began, what came in, every attempt that was "
        "charged, and what is left; the closing of a month is the opening of the next. Below it "
        "stands what your work was charged to lots of a project or the lab.",
        "pinka statement --month 2026-11 --html november.html"};
  }

  void Declare(Options& options) override {
    options.Value("--month", "YYYY-MM", "this month in the lab's zone (default: the current one)",
                  &month_);
    options.Value("--user", "U", "of this member; for admins", &user_);
    file_.Declare(options, true);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY(file_.Check(session));
    v1::GetStatementRequest request;
    request.set_month(month_);
    request.set_user(user_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetStatementResponse answer, api->GetStatement(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    if (file_.csv()) {
      PINKA_TRY(file_.Save(session, file_.CsvStart() + StatementCsv(answer, lab->zone)));
    } else if (file_.html()) {
      PINKA_TRY(file_.Save(session, RenderHtml(StatementPage(answer, *lab))));
    } else {
      Print(session, *lab, answer);
    }
    return 0;
  }

 private:
  static Table MakeTable(Session& session) {
    const std::vector<std::string> titles = StatementTitles();
    return Table({{titles[0], 0},
                  {titles[1], 8},
                  {titles[2], 6},
                  {titles[3], 6},
                  {titles[4], 0, true},
                  {titles[5], 5, true},
                  {titles[6], 0, true},
                  {titles[7], 8},
                  {titles[8], 8}},
                 session.terminal(), [&](std::string_view text) { session.out().Write(text); });
  }

  static void Print(Session& session, const Lab& lab, const v1::GetStatementResponse& answer) {
    const std::string& currency = answer.currency();
    const auto mark = [&](Table& table, const std::string& time, const std::string& what, Money m) {
      table.Row({time, what, "", "", "", "", FormatAmount(m, currency)});
    };
    session.out().Line(StatementTitle(answer) + ": " + lab.zone.Full(FromProto(answer.from())) +
                       " to " + lab.zone.Full(FromProto(answer.to())));
    const std::vector<StatementPart> parts = StatementParts(answer);
    const StatementPart& elsewhere = parts.back();
    Table table = MakeTable(session);
    mark(table, lab.zone.Short(FromProto(answer.from())), "opening",
         RoundToCents(MoneyOf(answer.opening())));
    for (const StatementPart& part : parts) {
      if (&part == &elsewhere || part.rows.empty()) continue;
      for (const StatementRow& row : part.rows) table.Row(StatementCells(row, currency, lab.zone));
      if (part.rows.size() > 1) mark(table, "", "= " + part.name, part.total);
    }
    mark(table, lab.zone.Short(FromProto(answer.so_far() ? answer.as_of() : answer.to())),
         answer.so_far() ? "closing so far" : "closing", RoundToCents(MoneyOf(answer.closing())));
    table.Finish("");
    if (elsewhere.rows.empty()) return;
    session.out().Line("");
    session.out().Line("Charged for this work to accounts of others:");
    Table others = MakeTable(session);
    for (const StatementRow& row : elsewhere.rows)
      others.Row(StatementCells(row, currency, lab.zone));
    mark(others, "", "total", elsewhere.total);
    others.Finish("");
  }

  std::string month_;
  std::string user_;
  ReportFile file_;
};

}  // namespace

std::unique_ptr<Command> MakeStatement() { return std::make_unique<Statement>(); }

}  // namespace pinka::cli
