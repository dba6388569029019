#include "scheduler/api/usage.h"

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/names.h"
#include "scheduler/api/openness.h"
#include "scheduler/api/status_table.h"

namespace pinka::api {
namespace {

constexpr int64_t kHourMs = 3'600'000;

// "0.42": hundredths, half away; "0.00" where there is nothing to share.
std::string Share(Money part, Money whole) {
  if (whole == Money()) return "0.00";
  // A month of corrections may be below zero as a whole.
  if (whole < Money()) return Share(-part, -whole);
  const int64_t hundredths = MulDivRound(part.micros(), 100, whole.micros());
  return fmt::format("{}{}.{:02}", hundredths < 0 ? "-" : "", std::abs(hundredths) / 100,
                     std::abs(hundredths) % 100);
}

void FillRow(const db::UsageLine& line, Money whole, v1::UsageRow* out) {
  out->set_key(line.lab ? "lab" : line.key);
  out->set_gpu_hours(HoursOf(line.unit_ms));
  out->set_wall_hours(HoursOf(line.wall_ms));
  out->set_unit_ms(line.unit_ms);
  out->set_amount(FormatWireMoney(line.amount));
  out->set_jobs(static_cast<int32_t>(line.jobs));
  out->set_attempts(static_cast<int32_t>(line.attempts));
  out->set_share(Share(line.amount, whole));
  out->set_median_wait_s(line.median_wait.seconds());
  out->set_wasted(FormatWireMoney(line.wasted));
  out->set_wasted_share(Share(line.wasted, line.amount));
}

StatusOr<absl::TimeZone> ZoneOf(const std::string& name) {
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(name, &zone)) return Internal("the lab's zone is not known here");
  return zone;
}

Status ReadFilters(const v1::GetUsageRequest& request, db::UsageQuery* query) {
  Source source;
  if (!request.source().empty() && !FromName(request.source(), &source))
    return Invalid("a source is owned, package, spot, on_demand or trial");
  query->job = JobId(request.job_id());
  query->project = request.project();
  query->tier = request.tier();
  query->source = request.source();
  query->node = request.node();
  return OkStatus();
}

}  // namespace

std::string HoursOf(int64_t ms) {
  return FormatWireMoney(Money::Micros(MulDivRound(ms, 1'000'000, kHourMs)));
}

Status RefuseUnknownNames(const db::UsageNames& known) {
  if (!known.project)
    return Refusal(Reason::kNoSuchProject, "no such project; usage --by project lists them");
  if (!known.tier) return Refusal(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
  if (!known.node) return Refusal(Reason::kNoSuchNode, "no such node; `pinka nodes` lists them");
  return OkStatus();
}

StatusOr<std::string> MonthOf(Timestamp at, const std::string& zone) {
  StatusOr<absl::TimeZone> where = ZoneOf(zone);
  if (!where.ok()) return where.status();
  return absl::FormatTime("%Y-%m", absl::FromUnixMicros(at.micros()), *where);
}

StatusOr<Month> ParseMonth(const std::string& text, const std::string& zone) {
  StatusOr<absl::TimeZone> where = ZoneOf(zone);
  if (!where.ok()) return where.status();
  const Status bad = Invalid("a month is written YYYY-MM, like 2026-11");
  if (text.size() != 7 || text[4] != '-') return bad;
  const auto year = ParseInt(text.substr(0, 4), 1970, 9999, "year");
  const auto month = ParseInt(text.substr(5), 1, 12, "month");
  if (!year.ok() || !month.ok()) return bad;
  const absl::CivilMonth civil(*year, *month);
  return Month{Timestamp::Micros(absl::ToUnixMicros(absl::FromCivil(civil, *where))),
               Timestamp::Micros(absl::ToUnixMicros(absl::FromCivil(civil + 1, *where)))};
}

StatusOr<db::UsageQuery> ConvertUsage(const v1::GetUsageRequest& request, const Principal& who,
                                      const Board& board) {
  db::UsageQuery query;
  if (!request.by().empty()) {
    const auto by = db::UsageByFromName(request.by());
    if (!by) return Invalid("usage is by member, project, tier, source, node, day, month or job");
    query.by = *by;
  }
  const bool everybody = who.admin || OthersMaySee(board.lab.openness, JobPart::kMoney);
  if (!everybody) query.member = who.member;
  if (!request.user().empty()) {
    const auto member = FindMember(board, request.user());
    if (!member || (!everybody && *member != who.member))
      return Refusal(Reason::kNoSuchMember, "no such member, or not you");
    query.member = *member;
  }
  if (Status bad = ReadFilters(request, &query); !bad.ok()) return bad;
  const StatusOr<Month> window = WindowOf(request, board.lab.timezone);
  if (!window.ok()) return window.status();
  query.from = window->start;
  query.to = window->end;
  return query;
}

void FillUsage(const db::UsageQuery& query, const db::UsageReport& report,
               v1::GetUsageResponse* out) {
  for (const db::UsageLine& line : report.lines)
    FillRow(line, report.total.amount, out->add_rows());
  FillRow(report.total, report.total.amount, out->mutable_total());
  out->mutable_total()->set_key("total");
  out->set_by(std::string(db::Name(query.by)));
  SetTime(query.from, [&] { return out->mutable_from(); });
  SetTime(query.to, [&] { return out->mutable_to(); });
}

}  // namespace pinka::api
