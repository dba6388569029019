#include "scheduler/runtime/calendar.h"

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "fmt/format.h"

namespace pinka {
namespace {

constexpr int kMonthsAhead = 25;

Timestamp StartOf(const absl::TimeZone& zone, absl::CivilDay day) {
  // Where midnight does not exist (a zone that springs forward at 00:00) this is the first instant
  // after.
  return Timestamp::Micros(absl::ToUnixMicros(absl::FromCivil(day, zone)));
}

}  // namespace

StatusOr<std::vector<PeriodRow>> PeriodsAround(const std::string& name, Timestamp from) {
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(name, &zone)) {
    return Invalid(
        fmt::format("the time zone \"{}\" is not known here; use one like Asia/Shanghai", name));
  }
  const absl::CivilDay today = absl::ToCivilDay(absl::FromUnixMicros(from.micros()), zone);
  const absl::CivilMonth first = absl::CivilMonth(today) - 1;
  const absl::CivilMonth end = absl::CivilMonth(today) + kMonthsAhead;
  std::vector<PeriodRow> rows;
  for (absl::CivilMonth m = first; m < end; ++m) {
    rows.push_back(
        {Period::kMonth, StartOf(zone, absl::CivilDay(m)), StartOf(zone, absl::CivilDay(m + 1))});
  }
  for (absl::CivilDay d(first); d < absl::CivilDay(end); ++d) {
    rows.push_back({Period::kDay, StartOf(zone, d), StartOf(zone, d + 1)});
  }
  return rows;
}

}  // namespace pinka
