#include "scheduler/runtime/calendar.h"

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "fmt/format.h"

namespace pinka {
namespace {

constexpr int kMonthsAhead = 25;
constexpr Duration kNightsAhead = Duration::Hours(36);

Timestamp StartOf(const absl::TimeZone& zone, absl::CivilDay day) {
  // Where midnight does not exist (a zone that springs forward at 00:00) this is the first instant
  // after.
  return Timestamp::Micros(absl::ToUnixMicros(absl::FromCivil(day, zone)));
}

Timestamp MinuteOf(const absl::TimeZone& zone, absl::CivilDay day, int32_t minute) {
  return Timestamp::Micros(
      absl::ToUnixMicros(absl::FromCivil(absl::CivilMinute(day) + minute, zone)));
}

StatusOr<absl::TimeZone> ZoneNamed(const std::string& name) {
  absl::TimeZone zone;
  if (absl::LoadTimeZone(name, &zone)) return zone;
  return Invalid(
      fmt::format("the time zone \"{}\" is not known here; use one like Asia/Shanghai", name));
}

absl::CivilDay DayOf(const absl::TimeZone& zone, Timestamp at) {
  return absl::ToCivilDay(absl::FromUnixMicros(at.micros()), zone);
}

}  // namespace

StatusOr<std::vector<PeriodRow>> PeriodsAround(const std::string& name, Timestamp from) {
  StatusOr<absl::TimeZone> found = ZoneNamed(name);
  if (!found.ok()) return found.status();
  const absl::TimeZone& zone = *found;
  const absl::CivilDay today = DayOf(zone, from);
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

StatusOr<std::vector<PeriodRow>> NightsAround(const std::string& name, Timestamp from,
                                              Timestamp after, int32_t from_min, int32_t to_min) {
  StatusOr<absl::TimeZone> zone = ZoneNamed(name);
  if (!zone.ok()) return zone.status();
  std::vector<PeriodRow> nights;
  const absl::CivilDay today = DayOf(*zone, from);
  for (absl::CivilDay day = today - 1; day < today + 3; ++day) {
    const Timestamp start = MinuteOf(*zone, day, from_min);
    const Timestamp end = MinuteOf(*zone, to_min > from_min ? day : day + 1, to_min);
    if (start < after || end <= from || start > from + kNightsAhead || start >= end) continue;
    nights.push_back({Period::kNight, start, end});
  }
  return nights;
}

}  // namespace pinka
