#include "scheduler/api/statement.h"

#include "base/parse.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/ledger_reads.h"
#include "scheduler/api/names.h"
#include "scheduler/api/status_table.h"

namespace pinka::api {
namespace {

v1::StatementSection* SectionOf(const std::string& name, v1::GetStatementResponse* out) {
  if (name == "credit") return out->mutable_credits();
  if (name == "charge") return out->mutable_charges();
  if (name == "refund") return out->mutable_refunds();
  if (name == "withdraw") return out->mutable_withdrawals();
  if (name == "lapse") return out->mutable_lapses();
  if (name == "elsewhere") return out->mutable_elsewhere();
  return out->mutable_other();
}

void FillLine(const db::StatementEntry& entry, v1::StatementLine* out) {
  SetTime(entry.at, [&] { return out->mutable_at(); });
  out->set_kind(entry.kind);
  out->set_amount(FormatWireMoney(entry.amount));
  out->set_account(AccountName(entry.other_kind, entry.other_owner));
  out->set_project(entry.project);
  out->set_reason(entry.reason);
  out->set_unit_ms(entry.unit_ms);
  out->set_gpu_hours(HoursOf(entry.unit_ms));
  out->set_tier(entry.tier);
  if (!entry.attempt.job) return;
  out->set_job(ToString(entry.attempt));
  out->set_source(std::string(Name(entry.source)));
  out->set_rate(WireRate(entry.rate));
}

}  // namespace

StatusOr<StatementQuery> ConvertStatement(const v1::GetStatementRequest& request,
                                          const Principal& who, const Board& board, Timestamp now) {
  StatementQuery query{.member = who.member, .month = request.month(), .window = {}};
  if (!request.user().empty()) {
    const auto member = FindMember(board, request.user());
    if (!member || (!who.admin && *member != who.member))
      return Refusal(Reason::kNoSuchMember, "no such member, or not you");
    query.member = *member;
  }
  if (query.month.empty()) {
    StatusOr<std::string> month = MonthOf(now, board.lab.timezone);
    if (!month.ok()) return month.status();
    query.month = *month;
  }
  StatusOr<Month> window = ParseMonth(query.month, board.lab.timezone);
  if (!window.ok()) return window.status();
  query.window = *window;
  return query;
}

void FillStatement(const db::Statement& statement, v1::GetStatementResponse* out) {
  Money closing = statement.opening;
  for (const char* name :
       {"credit", "charge", "refund", "withdraw", "lapse", "other", "elsewhere"}) {
    v1::StatementSection* section = SectionOf(name, out);
    Money total;
    for (const db::StatementEntry& entry : statement.entries) {
      if (SectionOf(entry.section, out) != section) continue;
      FillLine(entry, section->add_lines());
      total += entry.amount;
    }
    section->set_total(FormatWireMoney(total));
    if (section != out->mutable_elsewhere()) closing += total;
  }
  out->set_opening(FormatWireMoney(statement.opening));
  out->set_closing(FormatWireMoney(closing));
}

}  // namespace pinka::api
