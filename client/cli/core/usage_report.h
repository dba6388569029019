// What `pinka usage` shows, in each of its forms. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/html.h"
#include "client/cli/core/session.h"
#include "pinka/v1/report.pb.h"

namespace pinka::cli {

// Titles of the columns: "MEMBER", "WALL H", …; the first is the key.
std::vector<std::string> UsageTitles(const std::string& by);

// Printed cells of each row and, last, of the total; nothing where nothing was used. Hours, amounts
// and waste have two decimals, spread so that the lines sum to the total.
std::vector<std::vector<std::string>> UsageCells(const v1::GetUsageResponse& answer);

// Exact, six decimals; the lines only, so that a sum over a column is the total.
std::string UsageCsv(const v1::GetUsageResponse& answer);

// `filters` as typed: "tier a100, user 王芳".
HtmlReport UsagePage(const v1::GetUsageResponse& answer, const Lab& lab,
                     const std::string& filters);

// "2026-11-01 00:00:00+08:00 to 2026-12-01 00:00:00+08:00"; an open end says so.
template <class Answer>
std::string WindowText(const Answer& answer, const Zone& zone) {
  const std::string from =
      answer.has_from() ? zone.Full(FromProto(answer.from())) : std::string("the beginning");
  const std::string to = answer.has_to() ? zone.Full(FromProto(answer.to())) : std::string("now");
  return from + " to " + to;
}

}  // namespace pinka::cli
