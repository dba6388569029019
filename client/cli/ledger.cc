// pinka ledger: every entry.
#include <functional>

#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/json.h"
#include "client/cli/core/ledger_csv.h"
#include "client/cli/core/portions.h"
#include "client/cli/core/report_file.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

constexpr int kPageSize = 1'000;
constexpr int kBalanceAt = 6;  // the column after the amount

// "charge"; "refund of 12", where entry 12 is the charge.
std::string KindText(const v1::Entry& entry) {
  if (entry.linked_id() == 0) return entry.kind();
  return entry.kind() + " of " + std::to_string(entry.linked_id());
}

class Ledger final : public Command {
 public:
  Description Describe() const override {
    return {"ledger",
            "[--job ID] [--user U] [--account A] [--csv F]",
            Group::kMoney,
            "every entry",
            "Lists what was booked, oldest first: deposits, charges, refunds, lapses. A refund or "
            "correction names the entry it is of. With --account also what lies in its lots after "
            "each entry, with --job what was held for it.",
            "pinka ledger --job 17"};
  }

  void Declare(Options& options) override {
    options.Value("--job", "ID", "of this job", &job_);
    options.Value("--user", "U", "of this member", &request_user_);
    options.Value("--account", "A", "of a member, project:NAME or lab", &account_);
    file_.Declare(options, false);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY(file_.Check(session));
    request_.set_page_size(kPageSize);
    request_.set_user(request_user_);
    request_.set_account(account_);
    if (!job_.empty()) {
      PINKA_TRY_ASSIGN(const int64_t job_id, ParseJobId(job_));
      request_.set_job_id(job_id);
    }
    if (file_.csv()) {
      PINKA_TRY(SaveAsCsv(session));
    } else {
      PINKA_TRY(session.json() ? PrintAsJson(session) : PrintAsTable(session));
    }
    return 0;
  }

 private:
  Status EachPage(Session& session,
                  const std::function<void(const v1::ListEntriesResponse&)>& each) {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    do {
      PINKA_TRY_ASSIGN(const v1::ListEntriesResponse page, api->ListEntries(request_));
      each(page);
      request_.set_after_id(page.next_after_id());
    } while (request_.after_id() != 0);
    return OkStatus();
  }

  // Holds come with the first page; they are printed behind the entries.
  Status PrintAsJson(Session& session) {
    std::string holds;
    std::string comma;
    PINKA_TRY(EachPage(session, [&](const v1::ListEntriesResponse& page) {
      std::string text;
      if (request_.after_id() == 0) {
        text = JsonHead("pinka.v1.ListEntriesResponse", FromProto(page.as_of())) +
               ",\"currency\":" + JsonString(page.currency()) + ",\"entries\":[";
      }
      for (const v1::Entry& entry : page.entries()) {
        text += std::exchange(comma, ",") + "\n";
        AppendJson(entry, &text);
      }
      for (const v1::HoldEntry& hold : page.holds()) {
        holds += holds.empty() ? "\n" : ",\n";
        AppendJson(hold, &holds);
      }
      session.out().Write(text);
    }));
    session.out().Line("],\"holds\":[" + holds + "]}");
    return OkStatus();
  }

  Status SaveAsCsv(Session& session) {
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    std::string csv = file_.CsvStart() + LedgerCsvTitles();
    RunningBalance balance(account_);
    PINKA_TRY(EachPage(session, [&](const v1::ListEntriesResponse& page) {
      for (const v1::Entry& entry : page.entries())
        csv += LedgerCsvLine(entry, page.currency(), lab->zone,
                             page.whole_account() ? balance.After(entry) : "");
    }));
    return file_.Save(session, csv);
  }

  Status PrintAsTable(Session& session) {
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    const auto sink = [&](std::string_view text) { session.out().Write(text); };
    RunningBalance balance(account_);
    std::vector<Column> columns = {{"ENTRY", 0, true}, {"TIME", 0}, {"KIND", 0},
                                   {"FROM", 8},        {"TO", 8},   {"AMOUNT", 0, true},
                                   {"JOB", 6},         {"BY", 6},   {"REASON", 8}};
    const bool whole = balance.on() && job_.empty() && request_user_.empty();
    if (whole) columns.insert(columns.begin() + kBalanceAt, Column{"BALANCE", 0, true});
    Table entries(columns, session.terminal(), sink);
    std::vector<v1::HoldEntry> holds;
    PINKA_TRY(EachPage(session, [&](const v1::ListEntriesResponse& page) {
      for (const v1::Entry& entry : page.entries()) {
        std::vector<std::string> cells = {std::to_string(entry.id()),
                                          lab->zone.Short(FromProto(entry.at())),
                                          KindText(entry),
                                          entry.debit(),
                                          entry.credit(),
                                          Of(entry.asset(), entry.amount(), page.currency()),
                                          entry.job(),
                                          entry.person(),
                                          entry.reason()};
        const std::string left = page.whole_account() ? balance.After(entry) : "";
        if (whole)
          cells.insert(cells.begin() + kBalanceAt,
                       left.empty() ? "" : Amount(left, page.currency()));
        entries.Row(std::move(cells));
      }
      holds.insert(holds.end(), page.holds().begin(), page.holds().end());
    }));
    entries.Finish("No entries.");
    if (!holds.empty()) PrintHolds(session, *lab, holds);
    return OkStatus();
  }

  // Money, or hours of a package.
  static std::string Of(const std::string& asset, const std::string& amount,
                        const std::string& currency) {
    return asset.empty() ? Amount(amount, currency) : HoursText(amount);
  }

  static void PrintHolds(Session& session, const Lab& lab,
                         const std::vector<v1::HoldEntry>& holds) {
    session.out().Line("");
    Table table({{"HELD", 0},
                 {"ATTEMPT", 0},
                 {"AMOUNT", 0, true},
                 {"POSTED", 0, true},
                 {"STATE", 0},
                 {"CLOSED", 11},
                 {"REASON", 8}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::HoldEntry& hold : holds) {
      table.Row({lab.zone.Short(FromProto(hold.at())), hold.attempt(),
                 Of(hold.asset(), hold.amount(), lab.currency),
                 Of(hold.asset(), hold.posted(), lab.currency), hold.state(),
                 hold.has_closed_at() ? lab.zone.Short(FromProto(hold.closed_at())) : "",
                 hold.reason()});
    }
    table.Finish("");
  }

  std::string job_;
  std::string request_user_;
  std::string account_;
  ReportFile file_;
  v1::ListEntriesRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLedger() { return std::make_unique<Ledger>(); }

}  // namespace pinka::cli
