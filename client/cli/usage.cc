// pinka usage: who used what, and what it cost.
#include <algorithm>

#include "base/parse.h"
#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/csv.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

const std::vector<std::string>& Keys() {
  static const std::vector<std::string> keys = {"member", "project", "tier",  "source",
                                                "node",   "day",     "month", "job"};
  return keys;
}

// "0.42" as "42.0 %".
std::string Percent(const std::string& share) {
  const auto part = ParseWireMoney(share);
  if (!part.ok()) return share;
  const int64_t tenths = MulDivRound(part->micros(), 1'000, 1'000'000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

class Usage final : public Command {
 public:
  Description Describe() const override {
    return {"usage",
            "[--by KEY] [--user U] [--month M | --from D --to D] [--csv]",
            Group::kMoney,
            "who spent what",
            "Reports unit-hours and money by member (or project, tier, source, node, day, month, "
            "job). The window begins with --from and ends before --to, in the lab's zone; the lab "
            "has a row of its own, and all rows sum to the total.",
            "pinka usage --by tier --month 2026-11"};
  }

  void Declare(Options& options) override {
    options.Value("--by", "KEY", "member, project, tier, source, node, day, month or job", &by_);
    options.Value("--user", "U", "only this member", &user_);
    options.Value("--month", "YYYY-MM", "this month", &month_);
    options.Value("--from", "D", "from this day or time on", &from_);
    options.Value("--to", "D", "up to it, not included", &to_);
    options.Flag("--csv", "for spreadsheets, six decimals", &csv_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const v1::GetUsageRequest request, BuildRequest(session));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetUsageResponse answer, api->GetUsage(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else if (csv_) {
      PrintCsv(session, answer);
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
    if (!month_.empty() && !(from_.empty() && to_.empty())) {
      return Invalid("--month and --from or --to exclude each other");
    }
    v1::GetUsageRequest request;
    request.set_by(by_);
    request.set_user(user_);
    request.set_month(month_);
    if (from_.empty() && to_.empty()) return request;
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    if (!from_.empty()) {
      PINKA_TRY_ASSIGN(const Timestamp from, lab->zone.Parse(from_, session.Now()));
      *request.mutable_from() = ToProto(from);
    }
    if (!to_.empty()) {
      PINKA_TRY_ASSIGN(const Timestamp to, lab->zone.Parse(to_, session.Now()));
      *request.mutable_to() = ToProto(to);
    }
    return request;
  }

  void PrintCsv(Session& session, const v1::GetUsageResponse& answer) const {
    session.out().Write(kCsvMark);
    session.out().Write(CsvLine(
        {by_, "gpu_hours", "amount", "jobs", "share", "median_wait_s", "wasted", "currency"}));
    for (const v1::UsageRow& row : answer.rows()) {
      session.out().Write(CsvLine(
          {row.key(), row.gpu_hours(), row.amount(), std::to_string(row.jobs()), row.share(),
           std::to_string(row.median_wait_s()), row.wasted(), answer.currency()}));
    }
  }

  void PrintTable(Session& session, const v1::GetUsageResponse& answer) const {
    std::string title = by_;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    Table table({{title, 8},
                 {"GPU-HOURS", 0, true},
                 {"AMOUNT", 0, true},
                 {"SHARE", 0, true},
                 {"JOBS", 0, true},
                 {"MEDIAN WAIT", 5, true},
                 {"WASTED", 6, true}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    std::vector<Money> amounts;
    for (const v1::UsageRow& row : answer.rows()) amounts.push_back(MoneyOf(row.amount()));
    const std::vector<Money> cents = SpreadCents(amounts);
    for (int i = 0; i < answer.rows_size(); ++i) {
      table.Row(Cells(answer.rows(i),
                      FormatAmount(cents[static_cast<size_t>(i)], answer.currency()),
                      answer.currency()));
    }
    if (answer.rows_size() > 0) {
      std::vector<std::string> total = Cells(
          answer.total(), Amount(answer.total().amount(), answer.currency()), answer.currency());
      total[0] = "total";
      total[3].clear();
      table.Row(std::move(total));
    }
    table.Finish("Nothing was used in this window.");
  }

  static std::vector<std::string> Cells(const v1::UsageRow& row, const std::string& amount,
                                        const std::string& currency) {
    const std::string hours = FormatMoney(MoneyOf(row.gpu_hours()));  // two decimals as well
    return {row.key(),
            hours,
            amount,
            Percent(row.share()),
            std::to_string(row.jobs()),
            FormatSpan(Duration::Seconds(row.median_wait_s())),
            Amount(row.wasted(), currency)};
  }

  std::string by_ = "member";
  std::string user_;
  std::string month_;
  std::string from_;
  std::string to_;
  bool csv_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeUsage() { return std::make_unique<Usage>(); }

}  // namespace pinka::cli
