// GetUsage: whose charges, which window, and how lines become rows that sum to their total.
#pragma once

#include <string>

#include "db/reads_usage.h"
#include "pinka/v1/report.pb.h"
#include "scheduler/api/auth.h"
#include "scheduler/api/forms.h"
#include "scheduler/core/board.h"

namespace pinka::api {

// Members ask about themselves, where the lab is open about everybody; admins about everybody.
StatusOr<db::UsageQuery> ConvertUsage(const v1::GetUsageRequest& request, const Principal& who,
                                      const Board& board);

// A refusal where a filter's name is a name of nothing.
Status RefuseUnknownNames(const db::UsageNames& known);

// A month of a zone, "2026-11", as [start, end).
struct Month {
  Timestamp start;
  Timestamp end;
};
StatusOr<Month> ParseMonth(const std::string& text, const std::string& zone);
// What a report's request asks for: a month, or from and to, each of which may be missing.
template <class Request>
StatusOr<Month> WindowOf(const Request& request, const std::string& zone) {
  if (!request.month().empty()) {
    if (request.has_from() || request.has_to()) return Invalid("a month or a window, not both");
    return ParseMonth(request.month(), zone);
  }
  Month window{{}, Timestamp::Never()};
  if (request.has_from()) window.start = FromProto(request.from());
  if (request.has_to()) window.end = FromProto(request.to());
  return window;
}
// The month that `at` lies in.
StatusOr<std::string> MonthOf(Timestamp at, const std::string& zone);

// Unit-hours, or hours, with six decimals.
std::string HoursOf(int64_t ms);

void FillUsage(const db::UsageQuery& query, const db::UsageReport& report,
               v1::GetUsageResponse* out);

}  // namespace pinka::api
